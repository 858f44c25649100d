import { parseAllDocuments } from "yaml";
import type { Family, KindRule, Lookup, Resource } from "../../../src/local/simulators/types.ts";

/** Resources of a YAML text in namespace `demo`, as the API server would hold them. */
export function resources(text: string): Resource[] {
  return parseAllDocuments(text).map((document, index) => {
    const object = document.toJS() as Resource;
    const metadata = { namespace: "demo", uid: `uid-${index}`, generation: 1, resourceVersion: String(index + 1) };
    return { ...object, spec: object.spec, metadata: { ...metadata, ...object.metadata } };
  });
}

export function ruleOf(family: Family, kind: string): KindRule {
  const rule = family.kinds.find((candidate) => candidate.kind === kind);
  if (rule === undefined) throw new TypeError(`${family.name} has no ${kind}`);
  return rule;
}

export const lookupIn =
  (known: readonly Resource[]): Lookup =>
  ({ kind, namespace, name }) =>
    known.find(
      (resource) =>
        resource.kind === kind && resource.metadata.name === name && resource.metadata.namespace === namespace,
    );

/** The resource with what the family writes for the phase `ready`. */
export function made(family: Family, resource: Resource, known: readonly Resource[] = []): Resource {
  const own = ruleOf(family, resource.kind).status(resource, lookupIn(known));
  return { ...resource, status: { ...own, conditions: family.conditions({ name: "ready" }, resource) } };
}
