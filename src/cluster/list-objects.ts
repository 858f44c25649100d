import type { Resource } from "../model/kubernetes.ts";
import { ApiError, hasStatus } from "./client/api-error.ts";
import type { ApiPath } from "./api-path.ts";
import type { KubeClient, ReadOptions } from "./client/create-client.ts";
import { METADATA_LIST } from "./list-metadata.ts";

interface ListAnswer {
  apiVersion: string;
  kind: string;
  /** Null in an empty list of metadata. */
  items: Resource[] | null;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

/** Most objects of one page. */
const PAGE = 500;
/** Most bytes of a page: of objects that their users made as large as the API server stores them, few are in memory at a time. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Most bytes of one object. An API server stores 3 MiB at most. */
const OBJECT_BYTES = 32 * 1024 * 1024;
/** A page that is too large is read again with so many times fewer objects. */
const FEWER = 5;

export interface ListOptions {
  signal?: AbortSignal;
  /** A label selector. */
  labels?: string;
  /** Metadata alone. */
  metadataOnly?: boolean;
}

/** A collection, or a part of it. `resourceVersion`: that of the whole list. */
export interface Listed {
  items: Resource[];
  resourceVersion: string;
}

/** A part of a collection, in order of `namespace/name`. */
export interface Page extends Listed {
  isLast: boolean;
  /** How many objects follow, as the API server estimates it; null if it does not say. */
  remaining: number | null;
}

/** One page, unless its objects are so large that fewer of them have to be read. Throws REL_API…. */
async function readPage(
  client: Pick<KubeClient, "get">,
  path: ApiPath,
  options: Pick<ReadOptions, "signal" | "accept"> & { query: { limit: number } },
): Promise<ListAnswer | "too large"> {
  const isOne = options.query.limit === 1;
  try {
    const page = await client.get<ListAnswer>(path, { ...options, maxBytes: isOne ? OBJECT_BYTES : PAGE_BYTES });
    if (page !== null) return page;
  } catch (thrown) {
    if (isOne || !hasStatus(thrown, 413)) throw thrown;
    return "too large";
  }
  throw new ApiError(404, { action: `GET ${path}`, detail: "not served" });
}

/** Items of a list come without apiVersion and kind: both are added. */
function pageOf({ apiVersion, kind: kindOfList, items, metadata }: ListAnswer): Page {
  const { resourceVersion, continue: next = "", remainingItemCount: remaining = null } = metadata;
  const kind = kindOfList.replace(/List$/, "");
  const whole = (items ?? []).map((item) => ({ ...item, apiVersion, kind }));
  return { items: whole, resourceVersion, isLast: next === "", remaining };
}

/**
 * Reads a collection in pages of a limited size. Throws REL_API….
 */
export async function* pagesOf(
  client: Pick<KubeClient, "get">,
  path: ApiPath,
  { signal, labels, metadataOnly }: ListOptions = {},
): AsyncGenerator<Page> {
  const accept = metadataOnly === true ? METADATA_LIST : undefined;
  const selected = labels === undefined ? {} : { labelSelector: labels };
  let [limit, next] = [PAGE, ""];
  for (;;) {
    const query = { ...selected, limit, ...(next === "" ? {} : { continue: next }) };
    const page = await readPage(client, path, { query, signal, accept });
    if (page === "too large") {
      limit = Math.ceil(limit / FEWER);
      continue;
    }
    yield pageOf(page);
    next = page.metadata.continue ?? "";
    if (next === "") return;
    limit = Math.min(PAGE, 2 * limit);
  }
}

/** All objects of a collection. `keep`: what is kept of each. Throws REL_API…. */
export async function listObjects(
  client: Pick<KubeClient, "get">,
  path: ApiPath,
  { keep = (object) => object, ...options }: ListOptions & { keep?: (object: Resource) => Resource } = {},
): Promise<Listed> {
  const items: Resource[] = [];
  let version = "";
  for await (const page of pagesOf(client, path, options)) {
    version = page.resourceVersion;
    items.push(...page.items.map(keep));
  }
  return { items, resourceVersion: version };
}
