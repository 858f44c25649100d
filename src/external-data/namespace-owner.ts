import type { NamespaceData } from "../model/kubernetes.ts";
import { itself, type OwnerOf } from "./sample-fairly.ts";

/**
 * Whose a namespace is, by the label or the annotation with this key. One without it is an owner of its own, and is never taken for another
 * one that names it. Each namespace is if no key is given.
 */
export const namespaceOwner = (key: string | undefined, dataOf: (name: string) => NamespaceData): OwnerOf =>
  key === undefined
    ? itself
    : (namespace) => {
        const { labels, annotations } = dataOf(namespace);
        const owner = labels[key] ?? annotations[key] ?? "";
        return owner === "" ? `namespace ${namespace}` : `owner ${owner}`;
      };
