import { decideAlone } from "../../admission/decide/decide.ts";
import { sizesOf } from "../../admission/remedy/type-sizes.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import type { Decision } from "../../model/decision.ts";
import type { ForecastBook } from "../../model/places/forecast.ts";
import { readDecision } from "../../model/decision-annotation/compact-decision.ts";
import { asNew, stripDecision } from "../../model/decision-annotation/strip-decision.ts";
import { asLandfallError, LandfallError } from "../../errors.ts";
import { asWritten } from "./as-written.ts";
import type { ReadObjects } from "./read-objects.ts";

export interface ExplainOptions {
  policy: LoadedBundle;
  /** Seconds since 1970. */
  nowSeconds: number;
  /** Replaces a namespace's default origin. */
  origin: string | null;
  /** The forecasts; null for the bundle's climatology alone. */
  forecasts?: ForecastBook | null;
  /** Takes the fault of an object that cannot be decided, which has no decision then. Without it, the fault is thrown. */
  onFault?: ((fault: LandfallError) => void) | undefined;
}

function withOrigin(object: WorkloadObject, origin: string | null): WorkloadObject {
  if (origin === null || object.spec?.["origin"] !== undefined) return object;
  return { ...object, spec: { ...object.spec, origin } };
}

/** The object as its user wrote it. A report that its run is over belongs to the run that was decided, and is wrong only on one that was not. */
function asAsked(object: WorkloadObject): WorkloadObject {
  return readDecision(object) === null ? stripDecision(object) : asNew(object);
}

/** The decision of one object. */
function explainObject(
  { kind, object }: ReadObjects["workloads"][number],
  namespaces: ReadObjects["namespaces"],
  { policy, nowSeconds, origin, forecasts = null }: ExplainOptions,
): Decision {
  const name = object.metadata.namespace ?? "default";
  const namespace = namespaces.get(name) ?? { name, labels: {}, annotations: {} };
  const asked = withOrigin(asAsked(object), origin);
  const request = {
    kind,
    object: asked,
    namespace,
    nowSeconds,
    forecasts,
    relatedWorkloads: null,
    operation: "CREATE",
    policy,
  } as const;
  const decision = decideAlone(request);
  const written = { kind, spec: object.spec, sizeOf: sizesOf(request) };
  return { ...decision, denials: asWritten(written, decision.denials) };
}

/** The error of an object; a fault of the program names the object, for the report of it. */
function faultOf({ kind, object: { metadata } }: ReadObjects["workloads"][number], thrown: unknown): LandfallError {
  const fault = asLandfallError(thrown);
  if (fault.code !== "ADM_INTERNAL") return fault;
  const name = `${metadata.namespace ?? "default"}/${metadata.name ?? ""}`;
  return new LandfallError("ADM_INTERNAL", { detail: `${kind} ${name}: ${String(fault.params["detail"])}` }, thrown);
}

/**
 * The decision for each object as the webhook would make it on a CREATE, in the order of the file. Values that an
 * earlier decision wrote (in the output of `kubectl get -o yaml`) do not count as the user's.
 */
export function explainObjects(objects: ReadObjects, options: ExplainOptions): Decision[] {
  return objects.workloads.flatMap((workload) => {
    try {
      return [explainObject(workload, objects.namespaces, options)];
    } catch (thrown) {
      const fault = faultOf(workload, thrown);
      if (options.onFault === undefined) throw fault;
      options.onFault(fault);
      return [];
    }
  });
}
