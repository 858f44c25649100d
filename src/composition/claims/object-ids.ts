import { parseManifest } from "../helm/parse-manifest.ts";
import { manifestIn, type StoredRelease } from "../helm/stored-release.ts";
import type { Resource } from "../types.ts";

/** The same object in every version of its group. */
export const idOf = ({ apiVersion, kind, metadata }: Pick<Resource, "apiVersion" | "kind" | "metadata">): string =>
  [apiVersion.includes("/") ? apiVersion.split("/")[0] : "", kind, metadata.name].join(" ");

/** The objects of a revision as its manifest has them; none once the record keeps no manifest of it. Throws REL_RENDER. */
export const resourcesIn = (release: StoredRelease): Promise<Resource[]> => parseManifest(manifestIn(release));

export const idsOf = (resources: readonly Resource[]): string[] => [...new Set(resources.map(idOf))];
