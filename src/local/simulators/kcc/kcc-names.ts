import { textAt } from "../fields.ts";
import type { Resource } from "../types.ts";

export const nameOf = (resource: Resource): string => textAt(resource.spec, "resourceID") ?? resource.metadata.name;
export const projectOf = (resource: Resource): string =>
  resource.metadata.annotations?.["cnrm.cloud.google.com/project-id"] ?? resource.metadata.namespace;
