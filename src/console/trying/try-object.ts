import { type ApiPath, apiPath } from "../../cluster/api-path.ts";
import { ApiError, hasStatus } from "../../cluster/client/api-error.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { discover, objectPath } from "../../cluster/discover.ts";
import { LandfallError } from "../../errors.ts";
import type { NamespaceData, Resource } from "../../model/kubernetes.ts";
import { COMPOSITION_GROUP, PLURAL } from "../../model/names.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import type { Row } from "../contract/rows.ts";
import type { Applied, Manifest, Tried, TriedPlacement } from "../contract/trying.ts";
import { askNamespace, NOBODYS } from "../objects/read-namespace.ts";
import { rowOf } from "../objects/row-of.ts";
import { decideHere } from "./decide-here.ts";
import { saidBy } from "../server/problem-of.ts";
import type { Doing } from "../server/turns.ts";
import type { Trial } from "./open-trials.ts";
import { readManifest, type Written } from "./read-manifest.ts";
import { readRefusal } from "./read-refusal.ts";

export interface TrySource {
  client: KubeClient;
  policy: LoadedBundle;
  nowSeconds: () => number;
  inTurn: Doing;
  /** Decides about the object in another process; in this one, in its turn, if omitted. */
  decideApart?: ((trial: Trial) => Promise<ReturnType<typeof decideHere>>) | undefined;
}

/** The field manager of what the console creates. */
const MANAGER = { fieldManager: "landfall-console" } as const;
const REVIEWS = apiPath`/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`;

/** Whether the API server would let the user create objects of the kind there. */
async function mayCreate(client: KubeClient, { kind, namespace }: Written): Promise<{ may: boolean; why: string }> {
  const resourceAttributes = { verb: "create", group: COMPOSITION_GROUP, resource: PLURAL[kind], namespace };
  const { status } = await client.create<{ status?: { allowed?: boolean; reason?: string } }>(REVIEWS, {
    ...{ apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes } },
  });
  const why = status?.reason ?? "";
  return { may: status?.allowed === true, why: why === "" ? `you cannot create a ${kind} in ${namespace}` : why };
}

/** The collection that the object belongs to. Throws CLI_KIND. */
async function collectionOf(client: KubeClient, { object, kind, namespace }: Written): Promise<ApiPath> {
  const resource = await discover(client).find(object.apiVersion, kind);
  if (resource === null) throw new LandfallError("CLI_KIND", { kind, apiVersion: object.apiVersion });
  return objectPath(object.apiVersion, resource, namespace, null);
}

function placementOf({ place, ...row }: Row): TriedPlacement | null {
  if (place === null) return null;
  const { instanceType, start, end, usdPerHour, usd, grams, baselineGrams, nowGrams, latencyMs } = row;
  const { latencyEstimated } = row;
  return {
    ...{ place, instanceType, start, end, usdPerHour, usd, grams, baselineGrams, nowGrams, latencyMs },
    latencyEstimated,
  };
}

/** Answers that say something about the object. Others say that nothing is known of it: 401 and 503, and 429, which wants the question again later. */
const ABOUT_THE_OBJECT: readonly number[] = [400, 403, 404, 409, 413, 422];

const aboutObject = (thrown: unknown): ApiError => {
  if (thrown instanceof ApiError && ABOUT_THE_OBJECT.includes(thrown.status)) return thrown;
  throw thrown;
};

/** The namespace as its user may know it: one who can neither read it nor create objects in it learns nothing of the platform's settings for it. */
async function knownNamespace(client: KubeClient, name: string, mayCreate: boolean): Promise<NamespaceData> {
  const { data, readable } = await askNamespace(client, name).catch((thrown: unknown) => {
    if (hasStatus(thrown, 404)) return { data: { name, labels: {}, annotations: {} }, readable: true };
    throw thrown;
  });
  return readable || mayCreate ? data : NOBODYS;
}

/** Tries an object that someone writes: by a dry run in the cluster, or by a decision of this console. Throws CONSOLE_MANIFEST, CONSOLE_TRIAL, REL_API…. */
export async function tryObject(source: TrySource, manifest: Manifest): Promise<Tried> {
  const { client, policy, nowSeconds, inTurn, decideApart } = source;
  const written = readManifest(manifest);
  const { kind, namespace, name, object } = written;
  const { may, why } = await mayCreate(client, written);
  const known = await knownNamespace(client, namespace, may);
  const here = (): Promise<ReturnType<typeof decideHere>> => {
    const at = { namespace: known, nowSeconds: nowSeconds() };
    return decideApart?.({ written, ...at }) ?? inTurn(() => decideHere(written, { policy, ...at }));
  };
  const named = { kind, namespace, name, mayCreate: may };
  if (!may) {
    return { ...named, by: "console", why, ...(await here()) };
  }
  const path = await collectionOf(client, written);
  // Of what the cluster decided, its own warnings count: this console warns of all that it alone does not know.
  const warnings: string[] = [];
  const warned = (text: string): void => void warnings.push(text);
  const dryRun = { ...MANAGER, dryRun: "All" } as const;
  const answer = await client.create<Resource>(path, object, dryRun, { warned }).catch(aboutObject);
  const cluster = { ...named, by: "cluster", why: "", warnings } as const;
  return answer instanceof ApiError
    ? { ...cluster, denials: readRefusal(answer, (await here()).denials, name), placement: null }
    : { ...cluster, denials: [], placement: placementOf(rowOf(answer)) };
}

/** Creates the object with the user's rights. Throws CONSOLE_MANIFEST, CONSOLE_REFUSED, REL_API…. */
export async function applyObject({ client }: Pick<TrySource, "client">, manifest: Manifest): Promise<Applied> {
  const written = readManifest(manifest);
  const { kind, namespace, name, object } = written;
  const path = await collectionOf(client, written);
  const made = await client.create<Resource>(path, object, MANAGER).catch((thrown: unknown) => {
    throw new LandfallError("CONSOLE_REFUSED", { detail: saidBy(aboutObject(thrown)) }, thrown);
  });
  return { kind, namespace, name, place: rowOf(made).place };
}
