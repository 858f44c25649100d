import { canonicalJson } from "../../model/json.ts";
import type { Crd, CrdVersion } from "./generate-crd.ts";

/** An existing version keeps its storage flag, so that two definitions of one kind do not alternate. */
function putIn(versions: CrdVersion[], added: CrdVersion): CrdVersion[] {
  const old = versions.find(({ name }) => name === added.name);
  if (old) return versions.map((version) => (version === old ? { ...added, storage: old.storage } : version));
  return [...versions.map((version) => ({ ...version, storage: false })), { ...added, storage: true }];
}

/**
 * Adds the generated version to the CRD: existing versions stay served, a new one is stored. Null if nothing changes.
 * The API server's defaults do not count as a change.
 */
export function mergeCrd(existing: Crd, generated: Crd): Crd | null {
  const versions = generated.spec.versions.reduce(putIn, existing.spec.versions);
  const merged: Crd = {
    ...existing,
    metadata: {
      ...existing.metadata,
      labels: { ...existing.metadata.labels, ...generated.metadata.labels },
    },
    spec: { ...existing.spec, versions },
  };
  const essence = (crd: Crd): string =>
    canonicalJson([crd.metadata.labels ?? {}, [...crd.spec.versions].sort((a, b) => (a.name < b.name ? -1 : 1))]);
  return essence(existing) === essence(merged) ? null : merged;
}
