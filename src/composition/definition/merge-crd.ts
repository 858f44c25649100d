import { canonicalJson } from "../../model/json.ts";
import { carryFields, ownFields } from "./carry-fields.ts";
import type { Crd, CrdVersion } from "./generate-crd.ts";

const withSchema = (version: CrdVersion, openAPIV3Schema: CrdVersion["schema"]["openAPIV3Schema"]): CrdVersion => ({
  ...version,
  schema: { openAPIV3Schema },
});

/**
 * An existing version keeps its storage flag, so that two definitions of one kind do not alternate; if its own chart made
 * it, a later chart that also serves it changes only its columns.
 */
function putIn(versions: CrdVersion[], added: CrdVersion): CrdVersion[] {
  const old = versions.find(({ name }) => name === added.name);
  if (old && !added.storage) {
    const { additionalPrinterColumns } = added;
    return versions.map((version) => (version === old ? { ...version, additionalPrinterColumns } : version));
  }
  if (old) return versions.map((version) => (version === old ? { ...added, storage: old.storage } : version));
  if (!added.storage) return [...versions, added];
  return [...versions.map((version) => ({ ...version, storage: false })), added];
}

/**
 * Lets each version keep the fields of the others. The API server converts by changing only `apiVersion` and prunes what
 * the schema of the requested version lacks, also from what it then stores.
 */
function keepFields(versions: CrdVersion[]): CrdVersion[] {
  const own = versions.map((version) => withSchema(version, ownFields(version.schema.openAPIV3Schema)));
  // Versions that a chart also serves have its schema: one of them is enough.
  const keys = own.map(({ schema }) => canonicalJson(schema.openAPIV3Schema));
  const schemas = new Map(own.map(({ schema }, index) => [keys[index], schema.openAPIV3Schema]));
  return own.map((version, index) => {
    const others = [...schemas].filter(([key]) => key !== keys[index]).map(([, schema]) => schema);
    return withSchema(version, carryFields(version.schema.openAPIV3Schema, others));
  });
}

/**
 * Adds the generated versions to the CRD: existing versions stay served, a new chart's is stored. Null if nothing changes.
 * The API server's defaults do not count as a change.
 */
export function mergeCrd(existing: Crd, generated: Crd): Crd | null {
  const versions = keepFields(generated.spec.versions.reduce(putIn, existing.spec.versions));
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
