import type { ApiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { listObjects } from "../../cluster/list-objects.ts";
import { readReleaseMark } from "../../model/decision-annotation/system-secrets.ts";
import type { Resource } from "../types.ts";
import { type ClaimedObjects, readObjects } from "./claimed-objects.ts";

/** The objects that one recorded release names, and the object that it was installed for. */
export interface Claim extends ClaimedObjects {
  release: string;
  kind: string;
  name: string;
  uid: string;
}

/** As a record's metadata say; without objects where they do not. */
interface Said extends Omit<Claim, keyof ClaimedObjects> {
  objects: ClaimedObjects | null;
}

export interface ClaimOptions {
  client: Pick<KubeClient, "get">;
  collection: ApiPath;
  /** Label of the records of a namespace. */
  label: string;
  /** The release of the record with this name; null for another Secret. */
  releaseOf: (namespace: string, secret: string) => string | null;
  /** The objects that the content of the record names; null if it cannot be read. */
  read: (namespace: string, release: string) => Promise<ClaimedObjects | null>;
}

const NONE: ClaimedObjects = { current: [], former: [] };

/** Which objects the records of a namespace name: listed once, since only this process writes records while it leads. */
export function openClaims({ client, collection, label, releaseOf, read }: ClaimOptions) {
  const known = new Map<string, Promise<Map<string, Said>>>();

  function saidOf(namespace: string, secret: Pick<Resource, "metadata">): Said | null {
    const release = releaseOf(namespace, secret.metadata.name ?? "");
    const { kind = "", name = "", uid = "" } = readReleaseMark(secret) ?? {};
    return release === null ? null : { release, kind, name, uid, objects: readObjects(secret) };
  }

  async function list(namespace: string): Promise<Map<string, Said>> {
    const { items } = await listObjects(client, collection, { labels: `${label}=${namespace}`, metadataOnly: true });
    const said = items.map((secret) => saidOf(namespace, secret)).filter((one) => one !== null);
    return new Map(said.map((one) => [one.release, one]));
  }

  function listed(namespace: string): Promise<Map<string, Said>> {
    const found = known.get(namespace);
    if (found !== undefined) return found;
    const listing = list(namespace);
    known.set(namespace, listing);
    listing.catch(() => known.delete(namespace));
    return listing;
  }

  return {
    /** Those of all releases of a namespace. Throws REL_API…. */
    async of(namespace: string): Promise<Claim[]> {
      const claims: Claim[] = [];
      for (const said of [...(await listed(namespace)).values()]) {
        said.objects ??= (await read(namespace, said.release)) ?? NONE;
        const { objects, ...about } = said;
        claims.push({ ...about, ...objects });
      }
      return claims;
    },
    /** Notes a record that was written; null for one that was removed. */
    note(namespace: string, release: string, secret: Pick<Resource, "metadata"> | null): void {
      const said = secret === null ? null : saidOf(namespace, secret);
      const apply = (all: Map<string, Said>): void =>
        void (said === null ? all.delete(release) : all.set(release, said));
      known.get(namespace)?.then(apply, () => undefined);
    },
  };
}
