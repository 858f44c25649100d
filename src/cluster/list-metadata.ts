import type { ApiPath } from "./api-path.ts";
import type { KubeClient } from "./client/create-client.ts";

/** The Accept header for lists of metadata alone. */
export const METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

export interface MetadataOptions {
  /** A label selector. */
  labels: string;
  /** Objects in one answer. */
  page: number;
  /** No further page is read once there are so many objects. */
  most: number;
}

interface MetadataList<T> {
  metadata?: { continue?: string };
  items: T[] | null;
}

/** The metadata of the objects of a collection, page by page; none if it is not served. Tenants may have made any number of them. */
export async function listMetadata<T>(
  client: Pick<KubeClient, "get">,
  path: ApiPath,
  { labels, page, most }: MetadataOptions,
): Promise<T[]> {
  const items: T[] = [];
  let next = "";
  do {
    const query = { labelSelector: labels, limit: page, ...(next === "" ? {} : { continue: next }) };
    const list = await client.get<MetadataList<T>>(path, { query, accept: METADATA_LIST });
    items.push(...(list?.items ?? []));
    next = list?.metadata?.continue ?? "";
  } while (next !== "" && items.length < most);
  return items;
}
