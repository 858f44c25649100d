import { below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { ApiError } from "../../cluster/client/api-error.ts";
import { createOnce } from "../../cluster/create-once.ts";
import { knowSecrets } from "../../cluster/know-secrets.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { readReleaseMark, type ReleaseMark, releaseMetadata } from "../../model/decision-annotation/system-secrets.ts";
import { objectsAnnotation, readObjects } from "../claims/claimed-objects.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { PART_OF_LANDFALL } from "../../model/names.ts";

/** A release that helm uninstalls. */
export interface Removal extends ReleaseMark {
  /** The ids of its objects; omitted where an earlier version of Landfall recorded it, or no record named them. */
  objects?: readonly string[];
  /** The ids of those that the release itself leaves at their provider; omitted where an earlier version of Landfall recorded it. */
  kept?: readonly string[] | undefined;
}

/**
 * The records of releases that helm uninstalls, in Landfall's own namespace. helm forgets a release before its provider has deleted anything: what is left
 * counts by these records, whatever becomes of the object, until nothing is left.
 */
export interface Removals {
  /** Records it, or adds its sizes to what is recorded for the same uid. To be called before helm is. Throws REL_API…: then nothing may be uninstalled. */
  begin(mark: Removal): Promise<void>;
  /** That of the object with this uid, if it has not ended; null for none. */
  of(uid: string): Promise<Removal | null>;
  /** Nothing is left of what the object with this uid had. */
  ended(uid: string): Promise<void>;
  /** Those that have not ended. */
  list(): Promise<Removal[]>;
}

const TYPE = "landfall.dev/removed-release";
const PREFIX = "landfall.removed.";

/** The name of the Secret that records the removal of the object with this uid. */
export const removedName = (uid: string): string => `${PREFIX}${uid}`;

function readRemoval(secret: Resource): Removal | null {
  const mark = (secret.metadata.name ?? "").startsWith(PREFIX) ? readReleaseMark(secret) : null;
  const objects = readObjects(secret);
  return mark === null || objects === null ? mark : { ...mark, objects: objects.former, kept: objects.kept };
}

/** The objects of both that are kept, if both say which. */
function keptOf(mark: Removal, before: Removal | undefined): Removal["kept"] {
  const both = before === undefined ? [mark] : [mark, before];
  return both.every(({ kept }) => kept !== undefined) ? [...new Set(both.flatMap(({ kept = [] }) => kept))] : undefined;
}

/** The newer one, with the sizes and objects of both. */
function withBoth(mark: Removal, before: Removal | undefined): Removal {
  const sizes = [...mark.running, ...(before?.running ?? [])].map((size) => [JSON.stringify(size), size] as const);
  const objects = [...new Set([...(mark.objects ?? []), ...(before?.objects ?? [])])];
  const kept = keptOf(mark, before);
  return { ...mark, running: [...new Map(sizes).values()], removed: true, objects, kept };
}

const isSame = (one: Removal, other: Removal): boolean =>
  JSON.stringify([one.running, one.objects, one.kept]) === JSON.stringify([other.running, other.objects, other.kept]);

export function openRemovals(client: KubeClient, systemNamespace: string): Removals {
  const collection = secretsPath(systemNamespace);
  const { all } = knowSecrets(client, collection, readRemoval);

  /** Replaces the sizes of a record that an earlier process wrote. The controller has no right to patch Secrets. Throws REL_API…. */
  async function replaceSizes(uid: string, annotations: Record<string, string>): Promise<void> {
    const path = below(collection, removedName(uid));
    const stored = await client.get<Resource>(path);
    if (stored === null)
      throw new ApiError(409, { action: `GET ${path}`, detail: "the record of the removal has ended" });
    await client.replace(path, { ...stored, metadata: { ...stored.metadata, annotations } });
  }

  return {
    begin: async (given) => {
      const removals = await all();
      const before = removals.get(given.uid);
      const mark = withBoth(given, before);
      if (before !== undefined && isSame(before, mark)) return;
      const { labels, annotations: about } = releaseMetadata(mark);
      const { objects: former = [], kept } = mark;
      const annotations = { ...about, ...objectsAnnotation({ current: [], former, kept }) };
      const metadata = {
        name: removedName(mark.uid),
        namespace: systemNamespace,
        labels: { ...PART_OF_LANDFALL, ...labels },
      };
      const secret = { apiVersion: "v1", kind: "Secret", type: TYPE, metadata: { ...metadata, annotations } };
      if (!(await createOnce(client, collection, secret))) await replaceSizes(mark.uid, annotations);
      removals.set(mark.uid, mark);
    },
    of: async (uid) => (await all()).get(uid) ?? null,
    ended: async (uid) => {
      const removals = await all();
      if (!removals.has(uid)) return;
      await client.remove(below(collection, removedName(uid)));
      removals.delete(uid);
    },
    list: async () => [...(await all()).values()],
  };
}
