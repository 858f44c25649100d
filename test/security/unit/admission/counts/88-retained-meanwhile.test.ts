import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../../src/admission/types.ts";
import { createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import type { DecisionOwners } from "../../../../../src/model/decision-annotation/standing.ts";
import type { ReleaseMark } from "../../../../../src/model/decision-annotation/system-secrets.ts";
import { ANNOTATION } from "../../../../../src/model/names.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { context, NOW, patched, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

type Spec = Record<string, unknown>;

const policy = await loadPolicy();
const STATUS = { managed: [{ apiVersion: "v1", resource: "secrets", name: "web", namespace: "demo" }] };
const PLACE = "gcp/europe-west1";
const POOLS = ["a", "b"].map((name) => ({ name, count: 1, cpu: 2, memory: 8 }));

/** What the webhook knows where a record says that this is installed. */
function recorded(retains: boolean): DecisionOwners {
  const data = createClusterData();
  const size = { place: PLACE, vcpus: 4, memoryGiB: 16, pricePerHour: null, ...(retains ? { retains } : {}) };
  const installed: ReleaseMark = {
    ...{ kind: "KaasCluster", namespace: "demo", name: "web", uid: "u-1", release: "web-u-1", place: PLACE },
    running: [size],
  };
  data.apply({ type: "release", record: "landfall.release.demo.web-u-1", installed });
  return data.owners;
}

function change(old: WorkloadObject, spec: Spec, owners: DecisionOwners): Outcome {
  const object = { ...old, spec: { ...old.spec, ...spec } };
  return admit(
    { uid: "2", operation: "UPDATE", kind: "KaasCluster", object, oldObject: old },
    context(policy, NOW + 60, owners),
  );
}

/** An installed cluster that retains, which its user has paused, and told to delete since. */
function paused(): WorkloadObject {
  const spec = { nodePools: POOLS, provider: "gcp", schedulingLocation: "europe-west1", deletionPolicy: "retain" };
  const object: WorkloadObject = { ...vm(spec, { uid: "u-1" }), kind: "KaasCluster" };
  const first = admit({ uid: "1", operation: "CREATE", kind: "KaasCluster", object, oldObject: null }, context(policy));
  const { metadata, ...installed } = { ...patched(object, first), status: STATUS };
  const annotations = { ...metadata.annotations, [ANNOTATION.paused]: "true" };
  const old = { ...installed, metadata: { ...metadata, annotations } };
  return {
    ...patched(
      { ...old, spec: { ...old.spec, deletionPolicy: "delete" } },
      change(old, { deletionPolicy: "delete" }, recorded(true)),
    ),
    status: STATUS,
  };
}

describe("88: a cluster that retains, and is told to delete while it is paused", () => {
  const less = { nodePools: POOLS.slice(0, 1), poolInstanceTypes: undefined };

  it("loses no pool as long as what is installed retains", () => {
    const old = paused();
    expect(old.spec).toMatchObject({ deletionPolicy: "delete" });
    const outcome = change(old, less, recorded(true));
    expect(outcome.allowed ? [] : outcome.codes).toEqual(["ADM_RETAINED"]);
    expect(outcome.allowed ? "" : outcome.message).toMatch(/wait until the object is Ready with it/);
  });

  it("loses one once it is installed without", () => {
    expect(change(paused(), less, recorded(false))).toMatchObject({ allowed: true });
  });
});
