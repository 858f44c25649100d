import pLimit from "p-limit";
import { parseApiPath } from "../../cluster/api-path.ts";
import { hasStatus } from "../../cluster/client/api-error.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { isObject } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { Resources } from "../contract/resources.ts";
import { type Entry, type Read, resourcesOf } from "./resource-of.ts";

/** Most resources that are read for one page, and how many at a time. */
const MOST = 200;
const AT_ONCE = 8;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function entriesOf({ status }: Resource): Entry[] {
  const managed = status?.["managed"];
  return (Array.isArray(managed) ? managed.filter(isObject) : []).map(
    ({ apiVersion, resource, name, namespace, path }) => ({
      ...{ apiVersion: text(apiVersion), resource: text(resource), name: text(name), namespace: text(namespace) },
      path: text(path),
    }),
  );
}

/** Reads a resource with the user's rights. Of a path that is not one, nothing is read. */
async function readOne(client: KubeClient, entry: Entry): Promise<Read> {
  const path = parseApiPath(entry.path);
  if (path === null) return { entry, live: null };
  const live = await client.get<Resource>(path).catch((thrown: unknown) => {
    if (hasStatus(thrown, 403)) return "hidden" as const;
    throw thrown;
  });
  return { entry, live };
}

/** The resources that the chart of an object made, as their operators report them now. Throws REL_API…. */
export async function readResources(client: KubeClient, object: Resource): Promise<Resources> {
  const entries = entriesOf(object);
  const limit = pLimit(AT_ONCE);
  const read = await Promise.all(entries.slice(0, MOST).map((entry) => limit(() => readOne(client, entry))));
  return { resources: resourcesOf(read), isCut: entries.length > MOST };
}
