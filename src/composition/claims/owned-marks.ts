import { beginOf } from "../../cluster/short-object.ts";
import { groupKindOf } from "../../model/kubernetes.ts";
import type { Resource } from "../types.ts";

/** With the value `Paused`, Config Connector (since 1.158) does nothing at Google Cloud about this resource. */
export const PAUSED_BY = "cnrm.cloud.google.com/actuation-mode";

interface OperatorsMark {
  /** The end of the API group. */
  group: string;
  annotation: string;
  /** Values with which the operator leaves the resource at its provider when its object is deleted. */
  keeps?: readonly string[];
  /** The value with which it deletes it; null for none. */
  deletes?: string | null;
}

/**
 * Annotations by which an operator decides what a deletion does, or where it looks for the resource. The manifest's value counts, or that there is
 * none. Those that operators write themselves, such as ASO's `resource-id`, are not here: the policy of provider objects guards them.
 *
 * Sources: ASO's documentation of annotations (`reconcile-policy`, `credential-from`), ACK's guides "Deletion Policy" and "ReadOnly Resources" with
 * apis/core/v1alpha1/annotations.go of its runtime, Config Connector's "Keeping resources after deletion" and docs/features/pause.md of its repository, docs/operations/elemento-operator.md.
 */
const OPERATORS: readonly OperatorsMark[] = [
  {
    group: "azure.com",
    annotation: "serviceoperator.azure.com/reconcile-policy",
    ...{ keeps: ["detach-on-delete", "skip"], deletes: "manage" },
  },
  { group: "azure.com", annotation: "serviceoperator.azure.com/credential-from" },
  { group: "services.k8s.aws", annotation: "services.k8s.aws/deletion-policy", keeps: ["retain"], deletes: "delete" },
  { group: "services.k8s.aws", annotation: "services.k8s.aws/read-only", keeps: ["true"] },
  { group: "services.k8s.aws", annotation: "services.k8s.aws/region" },
  { group: "services.k8s.aws", annotation: "services.k8s.aws/owner-account-id" },
  {
    ...{ group: "cnrm.cloud.google.com", annotation: "cnrm.cloud.google.com/deletion-policy" },
    ...{ keeps: ["abandon"], deletes: "delete" },
  },
  // Also at a deletion, it then does nothing. By the design of its pull request 12657 it may write AutoPaused itself one day.
  { group: "cnrm.cloud.google.com", annotation: PAUSED_BY, keeps: ["Paused"] },
  // Its other controllers read other fields: `direct` has no desiredStatus, which stops a machine.
  { group: "cnrm.cloud.google.com", annotation: "alpha.cnrm.cloud.google.com/reconciler" },
  { group: "cnrm.cloud.google.com", annotation: "cnrm.cloud.google.com/reconciler" },
  { group: "elemento.landfall.dev", annotation: "elemento.landfall.dev/abandon", keeps: ["true"] },
];

/** By these, Helm decides whether it deletes an object (v4: pkg/action/validate.go, pkg/kube/client.go). */
export const HELM_MARK = {
  release: "meta.helm.sh/release-name",
  namespace: "meta.helm.sh/release-namespace",
  policy: "helm.sh/resource-policy",
  managedBy: "app.kubernetes.io/managed-by",
} as const;

type Texts = Readonly<Record<string, string>>;
type Named = Readonly<{ name: string; namespace: string }>;

const groupOf = (object: Pick<Resource, "apiVersion" | "kind">): string => groupKindOf(object).split("/")[0] ?? "";

const marksFor = (object: Pick<Resource, "apiVersion" | "kind">): OperatorsMark[] =>
  OPERATORS.filter(({ group }) => `.${groupOf(object)}`.endsWith(`.${group}`));

const GUARDED = new Set<string>([...Object.values(HELM_MARK), ...OPERATORS.map(({ annotation }) => annotation)]);

/** Longer values are none that an operator or Helm knows. */
const LONGEST = 256;

/** The marks among labels or annotations, each cut to 256 characters. Nothing that users add next to them can hide them. */
export const marksIn = (fields: Texts): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([key]) => GUARDED.has(key))
      .map(([key, value]) => [key, beginOf(value, LONGEST)]),
  );

/** Whether the chart itself asks Helm to keep the object. */
export const isKept = ({ metadata }: Pick<Resource, "metadata">): boolean =>
  metadata.annotations?.[HELM_MARK.policy] === "keep";

type Marked = Pick<Resource, "apiVersion" | "kind" | "metadata">;

const keepingMarks = (object: Marked): OperatorsMark[] =>
  marksFor(object).filter(({ annotation, keeps = [] }) =>
    keeps.includes(object.metadata.annotations?.[annotation] ?? ""),
  );

/** Whether the operator leaves the resource at its provider when the object is deleted, as it is annotated. */
export const staysAtProvider = (object: Marked): boolean => keepingMarks(object).length > 0;

/** The annotations with which the operator deletes the resource, in place of those with which it leaves it; empty for none. */
export const deletingMarks = (object: Marked): Record<string, string | null> =>
  Object.fromEntries(keepingMarks(object).map(({ annotation, deletes = null }) => [annotation, deletes]));

/** The fields of a merge patch: null removes one. */
export interface Marks {
  annotations: Record<string, string | null>;
  labels: Record<string, string | null>;
}

function changes(wanted: Record<string, string | null>, found: Texts = {}): Record<string, string | null> {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => (found[key] ?? null) !== value));
}

/**
 * The marks of Helm and of the operator that differ from those that the release gave the object: null for none. Users who may write the metadata can
 * otherwise have a deletion skipped, or leave a machine at its provider. Pure.
 */
export function marksToPutBack(manifest: Resource, live: Resource, { name, namespace }: Named): Marks | null {
  const given = manifest.metadata.annotations ?? {};
  const ours = [HELM_MARK.policy, ...marksFor(manifest).map(({ annotation }) => annotation)];
  const annotations = changes(
    {
      [HELM_MARK.release]: name,
      [HELM_MARK.namespace]: namespace,
      ...Object.fromEntries(ours.map((key) => [key, given[key] ?? null])),
    },
    live.metadata.annotations,
  );
  const labels = changes({ [HELM_MARK.managedBy]: "Helm" }, live.metadata.labels);
  return Object.keys({ ...annotations, ...labels }).length === 0 ? null : { annotations, labels };
}
