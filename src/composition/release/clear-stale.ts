import { isObject } from "../../model/json.ts";
import type { CompositionContext } from "../context.ts";
import type { Resource } from "../types.ts";
import type { Release } from "./release.ts";

interface Stale {
  /** `group/Kind` */
  kind: string;
  /** Field of spec that the operator wrote. */
  field: string;
  /** Whether what it wrote contradicts the manifest. */
  contradicts: (manifest: Record<string, unknown>, written: string) => boolean;
}

/**
 * Fields that an operator wrote into a spec and that no manifest has, so that helm never clears them. ACK sends a Nodegroup's
 * `releaseVersion` with each update, and EKS refuses one of another version for good ("version and release version do not
 * match"). Measured with eks-controller 1.20.0, as was that null clears it.
 */
const STALE: readonly Stale[] = [
  {
    kind: "eks.services.k8s.aws/Nodegroup",
    field: "releaseVersion",
    contradicts: ({ version }, written) => typeof version === "string" && !written.startsWith(`${version}.`),
  },
];

const specOf = ({ spec }: Resource): Record<string, unknown> => (isObject(spec) ? spec : {});

/** The fields of the live resource that contradict its manifest. Pure. */
export function staleFields(manifest: Resource, live: Resource): string[] {
  const kind = `${manifest.apiVersion.split("/")[0] ?? ""}/${manifest.kind}`;
  return STALE.filter((rule) => {
    const written = specOf(live)[rule.field];
    if (rule.kind !== kind || typeof written !== "string" || rule.field in specOf(manifest)) return false;
    return rule.contradicts(specOf(manifest), written);
  }).map(({ field }) => field);
}

/** Clears what operators wrote before an upgrade and what would make it fail, with the rights of the namespace's identity. */
export async function clearStale(context: CompositionContext, release: Release): Promise<void> {
  for (const object of release.objects) {
    const live = context.managed.get(object);
    const fields = live === undefined ? [] : staleFields(object.manifest, live);
    if (fields.length === 0) continue;
    const spec = Object.fromEntries(fields.map((field) => [field, null]));
    context.log.info({ kind: object.kind, name: object.name, fields }, "stale fields of an operator are cleared");
    await context.tenant(release.namespace).patch(object.entry.path, "merge", { spec });
  }
}
