import pLimit from "p-limit";
import { isPathIn, parseApiPath } from "../../cluster/api-path.ts";
import { hasStatus } from "../../cluster/client/api-error.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { isObject, stringOf } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { Resources } from "../contract/resources.ts";
import { type Entry, type Read, resourcesOf } from "./resource-of.ts";

/** Most resources that are read for one page, and how many at a time. */
const MOST = 200;
const AT_ONCE = 8;

/** Most bytes and ms of one of them. An API server stores 3 MiB at most. */
const BYTES = 4 * 1024 * 1024;
const MS = 10_000;

function entriesOf({ status }: Resource): Entry[] {
  const managed = status?.["managed"];
  return (Array.isArray(managed) ? managed.filter(isObject) : []).map(
    ({ apiVersion, resource, name, namespace, path }) => ({
      ...{
        apiVersion: stringOf(apiVersion),
        resource: stringOf(resource),
        name: stringOf(name),
        namespace: stringOf(namespace),
      },
      path: stringOf(path),
    }),
  );
}

/**
 * Reads a resource with the user's rights. The author of the status can have fewer of them: a path that is not that of one object in
 * `namespace`, where a chart installs what it makes, is not asked for.
 */
async function readOne(reader: Reader, { namespace, entry }: { namespace: string; entry: Entry }): Promise<Read> {
  const path = parseApiPath(entry.path);
  if (path === null || !isPathIn(namespace, path)) return { entry, live: "unread" };
  const signal = AbortSignal.any([reader.signal, AbortSignal.timeout(MS)]);
  const live = await reader.client.get<Resource>(path, { maxBytes: BYTES, signal }).catch((thrown: unknown) => {
    if (hasStatus(thrown, 403)) return "hidden" as const;
    if (hasStatus(thrown, 413)) return "unread" as const;
    throw thrown;
  });
  return { entry, live };
}

interface Reader {
  client: KubeClient;
  /** Ends what is underway, as when the page is left. */
  signal: AbortSignal;
}

/** The resources that the chart of an object made, as their operators report them now. Throws REL_API…. */
export async function readResources({ client, signal }: Reader, object: Resource): Promise<Resources> {
  const { namespace = "" } = object.metadata;
  const entries = entriesOf(object);
  const limit = pLimit(AT_ONCE);
  const failed = new AbortController();
  const reader = { client, signal: AbortSignal.any([signal, failed.signal]) };
  const all = entries.slice(0, MOST).map((entry) => limit(() => readOne(reader, { namespace, entry })));
  try {
    return { resources: resourcesOf(await Promise.all(all)), isCut: entries.length > MOST };
  } finally {
    // After a failure, the result of the others is not needed.
    limit.clearQueue();
    failed.abort();
  }
}
