import jsonPatch, { type Operation } from "fast-json-patch";
import { admit } from "../admission/admit.ts";
import type { AdmissionContext, Outcome } from "../admission/types.ts";
import type { WorkloadObject } from "../model/workload.ts";
import { LandfallError } from "../errors.ts";
import { clusterContext } from "../external-data/cluster-context.ts";
import { clusterDataOf } from "../external-data/cluster-data-of.ts";
import { createClusterData, keyOfWorkload } from "../external-data/cluster-data.ts";
import { ringOf } from "../model/decision-annotation/key-ring.ts";
import type { DecisionOwners } from "../model/decision-annotation/standing.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";
import type { PolicyCase } from "./policy-case.ts";

/** These decisions are never stored in a cluster, so the key does not matter. */
const KEYS = ringOf(Buffer.alloc(32));
/** An object that a case updates is installed. */
const OWNERS: DecisionOwners = {
  ownerOf: () => null,
  latestOf: () => 0,
  isInstalled: () => true,
  recordedSpecs: () => [null],
  runOf: () => "none",
  recordedRunOf: () => null,
  timesOf: () => null,
  beganOf: () => null,
  lacksMachine: () => false,
  runningOf: () => [],
  isUnderway: () => false,
};

/** The webhook's answer to a case, and the object as it would be stored. */
export interface Asked {
  outcome: Outcome;
  stored: WorkloadObject;
}

function contextOf(
  { object, namespace, others }: PolicyCase,
  policy: LoadedBundle,
  nowSeconds: number,
): AdmissionContext {
  const clusterData = others === null ? createClusterData() : clusterDataOf([], others, nowSeconds);
  const name = object.metadata.namespace ?? "default";
  const asked = { key: keyOfWorkload(object), kind: object.kind, object };
  return {
    ...{ policy, nowSeconds, keys: KEYS, owners: OWNERS },
    ...clusterContext(clusterData, asked, nowSeconds),
    namespace: { name, ...namespace },
  };
}

function store(object: WorkloadObject, outcome: Outcome): WorkloadObject {
  if (!outcome.allowed) return object;
  // A copy, because applying would change the patch's own values.
  const [document, patch] = jsonPatch.deepClone([object, outcome.patch]) as [WorkloadObject, Operation[]];
  return jsonPatch.applyPatch(document, patch).newDocument;
}

/** Decides by the same code path as the webhook, with a creation first if the case is an update. Throws CLI_CASE. */
export function askCase(asked: PolicyCase, policy: LoadedBundle): Asked {
  const { object, before, nowSeconds } = asked;
  const request = { uid: asked.name, kind: object.kind };
  const create = (created: WorkloadObject, at: number): Asked => {
    const outcome = admit(
      { ...request, operation: "CREATE", object: created, oldObject: null },
      contextOf(asked, policy, at),
    );
    return { outcome, stored: store(created, outcome) };
  };
  if (before === null) return create(object, nowSeconds);
  const earlier = create(before.object, before.nowSeconds);
  if (!earlier.outcome.allowed)
    throw new LandfallError("CLI_CASE", {
      file: asked.name,
      detail: `before.object is denied itself: ${earlier.outcome.message}`,
    });
  const outcome = admit(
    { ...request, operation: "UPDATE", object, oldObject: earlier.stored },
    contextOf(asked, policy, nowSeconds),
  );
  return { outcome, stored: store(object, outcome) };
}
