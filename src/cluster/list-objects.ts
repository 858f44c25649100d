import type { Resource } from "../model/kubernetes.ts";
import { ApiError } from "./client/api-error.ts";
import type { ApiPath } from "./api-path.ts";
import type { KubeClient } from "./client/create-client.ts";
import { METADATA_LIST } from "./list-metadata.ts";

interface ListAnswer {
  apiVersion: string;
  kind: string;
  /** Null in an empty list of metadata. */
  items: Resource[] | null;
  metadata: { resourceVersion: string; continue?: string };
}

const PAGE = 500;

export interface ListOptions {
  signal?: AbortSignal;
  /** A label selector. */
  labels?: string;
  /** Metadata alone. */
  metadataOnly?: boolean;
}

/** Lists all objects of a collection, page by page. Items of a list come without apiVersion and kind: both are added. */
export async function listObjects(
  client: Pick<KubeClient, "get">,
  path: ApiPath,
  { signal, labels, metadataOnly }: ListOptions = {},
): Promise<{ items: Resource[]; resourceVersion: string }> {
  const items: Resource[] = [];
  let next = "";
  const selected = labels === undefined ? { limit: PAGE } : { limit: PAGE, labelSelector: labels };
  for (;;) {
    const query = next === "" ? selected : { ...selected, continue: next };
    const page = await client.get<ListAnswer>(path, {
      query,
      signal,
      accept: metadataOnly === true ? METADATA_LIST : undefined,
    });
    if (!page) throw new ApiError(404, { action: `GET ${path}`, detail: "not served" });
    const kind = page.kind.replace(/List$/, "");
    items.push(...(page.items ?? []).map((item) => ({ ...item, apiVersion: page.apiVersion, kind })));
    next = page.metadata.continue ?? "";
    if (!next) return { items, resourceVersion: page.metadata.resourceVersion };
  }
}
