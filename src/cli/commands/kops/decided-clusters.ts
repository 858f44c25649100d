import { checkObject } from "../../../admission/check/check-object.ts";
import { type WorkloadObject, WRITTEN_BY_KIND } from "../../../model/workload.ts";
import { LandfallError } from "../../../errors.ts";
import { KOPS_PROVIDERS } from "../../../kops/types.ts";
import type { Decision } from "../../../model/decision.ts";
import { ANNOTATION } from "../../../model/names.ts";
import type { Cli } from "../../cli.ts";
import { decideObjects } from "../../options/decision-options.ts";
import { applyDecision } from "../../objects/plan-objects.ts";
import type { ReadObjects } from "../../objects/read-objects.ts";
import type { KopsOptions } from "./kops-options.ts";
import { textOf } from "../../../model/json.ts";

/** A cluster with its place and types; null if it is denied. */
export interface DecidedCluster {
  /** KaasCluster namespace/name */
  name: string;
  object: WorkloadObject | null;
  /** Null if the object has its own decision. */
  decision: Decision | null;
  /** Seconds since 1970. */
  nowSeconds: number;
}

const nameOf = ({ kind, metadata }: WorkloadObject): string =>
  `${kind} ${metadata.namespace ?? "default"}/${metadata.name ?? ""}`;

/** Whether admission has decided the object, as in the output of `kubectl get -o yaml`. */
function isDecided({ metadata, spec = {} }: WorkloadObject): boolean {
  // Only AWS has zones, and only a run that its platform ends has an end that admission wrote.
  const optional = new Set(["whenDone", ...(spec["provider"] === "aws" ? [] : ["zones"])]);
  const written = WRITTEN_BY_KIND.KaasCluster.filter((field) => !optional.has(field));
  return (
    metadata.annotations?.[ANNOTATION.decision] !== undefined && written.every((field) => spec[field] !== undefined)
  );
}

function withProvider(object: WorkloadObject, { provider }: KopsOptions): WorkloadObject {
  const { spec } = object;
  if (provider === undefined || spec?.["provider"] !== undefined) return object;
  return { ...object, spec: { ...spec, provider } };
}

/** Throws KOPS_KIND for another kind, KOPS_DENIED for a decided object that its schema rejects. */
function check({ kind, object }: ReadObjects["workloads"][number]): void {
  if (kind !== "KaasCluster") throw new LandfallError("KOPS_KIND", { object: nameOf(object) });
  const [denial] = isDecided(object) ? checkObject(kind, object) : [];
  if (denial === undefined) return;
  const { message: detail, remedy: correction } = denial;
  throw new LandfallError("KOPS_DENIED", { object: nameOf(object), detail, correction });
}

/** Throws KOPS_PROVIDER if kOps manifests are not mapped for the decided provider. */
function checkProvider(name: string, { spec }: WorkloadObject): void {
  const provider = textOf(spec?.["provider"]);
  if ((KOPS_PROVIDERS as readonly string[]).includes(provider)) return;
  const correction = "write provider: aws or provider: elemento, or give --provider if the object names none";
  throw new LandfallError("KOPS_PROVIDER", { object: name, provider, correction });
}

/**
 * Every cluster of the file; undecided ones are decided as by `landfall plan`. Throws KOPS_KIND, KOPS_DENIED,
 * KOPS_PROVIDER.
 */
export async function decidedClusters(cli: Cli, options: KopsOptions, read: ReadObjects): Promise<DecidedCluster[]> {
  read.workloads.forEach(check);
  const asked = read.workloads.map(({ kind, object }) => ({ kind, object: withProvider(object, options) }));
  const open = { ...read, workloads: asked.filter(({ object }) => !isDecided(object)) };
  const { decisions, nowSeconds } =
    open.workloads.length === 0 ? { decisions: [], nowSeconds: 0 } : await decideObjects(cli, options, open);
  return asked.map(({ object }) => {
    const name = nameOf(object);
    const decision = decisions[open.workloads.findIndex((one) => one.object === object)] ?? null;
    if (decision?.allowed === false) return { name, object: null, decision, nowSeconds };
    const decided = decision === null ? object : applyDecision(object, decision, nowSeconds);
    checkProvider(name, decided);
    return { name, object: decided, decision, nowSeconds };
  });
}
