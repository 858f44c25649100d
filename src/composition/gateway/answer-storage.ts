import { messageOf } from "../../errors.ts";
import { below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { Logger } from "pino";
import { type ReleaseStatus } from "../helm/release-storage.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { decodeRelease, manifestIn, type StoredRelease } from "../helm/stored-release.ts";
import { helmSecretOf, parseSecretName, slimRelease } from "../record/helm-secret.ts";
import { idsOf, resourcesIn } from "../claims/object-ids.ts";
import type { Resource } from "../types.ts";
import { readSecret } from "./read-secret.ts";
import type { Records } from "../record/open-records.ts";
import type { RecordedRevision } from "../record/release-record.ts";
import { type HelmSecret, writeCopy } from "../record/write-copy.ts";

/** The requests of helm's storage driver to the API server. */
export interface StorageRequest {
  namespace: string;
  method: string;
  /** Name of the Secret in the path; null for the collection. */
  name: string | null;
  /** `labelSelector` of a list. */
  selector: string;
  body: Buffer;
  /** Refuses, by an error, a revision before it is recorded. */
  guard?: (resources: readonly Resource[]) => Promise<void>;
}

export interface StorageAnswer {
  status: number;
  body: unknown;
}

export interface StorageContext {
  records: Records;
  /** Writes the copies, with the rights of the namespace's identity. */
  tenant: (namespace: string) => KubeClient;
  log: Logger;
  /** Seconds since 1970. */
  nowSeconds: () => number;
}

const ABOUT = { apiVersion: "v1", kind: "Secret" };

const failure = (code: number, reason: string, message: string): StorageAnswer => ({
  status: code,
  body: { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code, reason, message },
});

const matches = (labels: Record<string, string>, selector: string): boolean =>
  selector.split(",").every((term) => {
    const [key = "", value = ""] = term.split("=");
    return labels[key] === value;
  });

const releaseIn = (selector: string): string | null =>
  selector
    .split(",")
    .find((term) => term.startsWith("name="))
    ?.slice("name=".length) ?? null;

async function list({ records }: StorageContext, { namespace, selector }: StorageRequest): Promise<StorageAnswer> {
  const release = releaseIn(selector);
  if (release === null) return failure(403, "Forbidden", "releases are listed by their name only");
  const revisions = (await records.read(namespace, release))?.revisions ?? [];
  const found = revisions.filter(({ labels }) => matches(labels, selector));
  const items = await Promise.all(found.map((revision) => helmSecretOf(namespace, revision)));
  return { status: 200, body: { apiVersion: "v1", kind: "SecretList", metadata: { resourceVersion: "0" }, items } };
}

async function recordedOf(context: StorageContext, request: StorageRequest): Promise<RecordedRevision | null> {
  const about = parseSecretName(request.name ?? "");
  if (about === null) return null;
  const record = await context.records.read(request.namespace, about.release);
  return record?.revisions.find(({ revision }) => revision === about.revision) ?? null;
}

/** A revision that helm stores. */
interface Given {
  secret: HelmSecret;
  /** The revision as it is recorded by now; null for a new one. */
  before: RecordedRevision | null;
}

/** The copy is for people and other tools. If it cannot be written, for example because of a quota, the release continues. */
async function copyOf({ tenant, log }: StorageContext, namespace: string, { secret, before }: Given): Promise<string> {
  try {
    return await writeCopy(tenant(namespace), namespace, secret, before === null);
  } catch (thrown) {
    log.warn({ namespace, secret: secret.metadata.name, error: messageOf(thrown) }, "no copy of a release was written");
    return "";
  }
}

/** The ids of a revision's objects. A new revision passes the guard first; one that Helm stores again seldom has another manifest. */
async function objectsIn(
  release: StoredRelease,
  before: RecordedRevision | null,
  guard: StorageRequest["guard"],
): Promise<string[]> {
  if (before?.objects !== undefined && manifestIn(before.release) === manifestIn(release)) return before.objects;
  const resources = await resourcesIn(release);
  if (before === null) await guard?.(resources);
  return idsOf(resources);
}

async function recordOf(
  context: StorageContext,
  { namespace, guard }: StorageRequest,
  given: Given,
): Promise<RecordedRevision> {
  const { secret, before } = given;
  const { name, labels = {} } = secret.metadata;
  const release = slimRelease(await decodeRelease(secret.data?.["release"] ?? ""));
  const status = (labels["status"] ?? "unknown") as ReleaseStatus;
  const revision = parseSecretName(name)?.revision ?? 0;
  const objects = await objectsIn(release, before, guard);
  const copy = await copyOf(context, namespace, given);
  const { createdAt } = before ?? { createdAt: context.nowSeconds() };
  return { ...{ secret: name, revision, labels, status, release, copy }, createdAt, objects };
}

async function store(context: StorageContext, request: StorageRequest): Promise<StorageAnswer> {
  const { namespace, method, body } = request;
  const secret = readSecret(body);
  const { name } = secret.metadata;
  const about = parseSecretName(name);
  if (about === null) return failure(403, "Forbidden", "this is not a Secret of a release");
  const known = (await context.records.read(namespace, about.release))?.revisions ?? [];
  const before = known.find((one) => one.secret === name) ?? null;
  const created = method === "POST";
  if (created && before !== null) return failure(409, "AlreadyExists", "the revision is recorded already");
  const written = await recordOf(context, request, { secret, before });
  await context.records.change(namespace, about.release, (all) => [
    ...all.filter((one) => one.secret !== name),
    written,
  ]);
  return { status: created ? 201 : 200, body: { ...ABOUT, ...(await helmSecretOf(namespace, written)) } };
}

async function drop(context: StorageContext, { namespace, name }: StorageRequest): Promise<StorageAnswer> {
  const about = parseSecretName(name ?? "");
  if (about === null) return failure(403, "Forbidden", "this is not a Secret of a release");
  await context.records.change(namespace, about.release, (revisions) =>
    revisions.filter(({ revision }) => revision !== about.revision),
  );
  await context.tenant(namespace).remove(below(secretsPath(namespace), name ?? ""));
  return { status: 200, body: { apiVersion: "v1", kind: "Status", metadata: {}, status: "Success" } };
}

/** Whether a request is one of helm's storage driver, and not one for another Secret. */
export function isStorageRequest({ method, name, selector, body }: StorageRequest): boolean {
  if (name !== null) return parseSecretName(name) !== null;
  if (method === "GET") return selector.split(",").includes("owner=helm");
  return method === "POST" && readSecret(body).type === "helm.sh/release.v1";
}

/** Answers helm's storage driver from the records: helm never sees what lies in the release's namespace. */
export async function answerStorage(context: StorageContext, request: StorageRequest): Promise<StorageAnswer> {
  const { namespace, method, name } = request;
  if (method === "POST" || method === "PUT") return store(context, request);
  if (method === "DELETE") return drop(context, request);
  if (method !== "GET") return failure(405, "MethodNotAllowed", `${method} of a release is not supported`);
  if (name === null) return list(context, request);
  const recorded = await recordedOf(context, request);
  if (recorded === null) return failure(404, "NotFound", "release not found");
  return { status: 200, body: { ...ABOUT, ...(await helmSecretOf(namespace, recorded)) } };
}
