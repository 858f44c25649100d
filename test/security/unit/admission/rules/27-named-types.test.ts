import { beforeAll, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { AdmissionRequest } from "../../../../../src/admission/types.ts";
import { readWorkload } from "../../../../../src/model/read-workload.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import type { LoadedBundle } from "../../../../../src/policy/loaded-bundle.ts";
import { keyOf, reserve } from "../../../../../webhook/decisions/process/reserve.ts";
import { context, create, NO_OWNERS, NOW, patched, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

let policy: LoadedBundle;

beforeAll(async () => {
  policy = await loadPolicy();
});

it.each([
  ["gcp", "europe-west1", "n2-standard-64", { vcpus: 64, memoryGiB: 256 }],
  ["azure", "northeurope", "Standard_D64s_v5", { vcpus: 64, memoryGiB: 256 }],
])("a type that the object names counts with its own size: %s", (provider, schedulingLocation, instanceType, size) => {
  const asked = vm({ cpu: 1, memory: 1, provider, schedulingLocation, instanceType }, {});
  const request = create(asked);
  const outcome = admit(request, context(policy, NOW, NO_OWNERS));
  const made = patched(asked, outcome);
  expect(readWorkload("VmTemplate", made)).toMatchObject(size);
  if ("state" in outcome) throw new TypeError("it is not finished");
  const reserved = reserve(keyOf("a", request, outcome), request, outcome, NOW);
  expect(reserved?.workload).toMatchObject(size);
});

it("a type that the policy chose counts with its own size", () => {
  const asked = vm({ cpu: 3, memory: 3, provider: "gcp", schedulingLocation: "europe-west1" }, {});
  const made = patched(asked, admit(create(asked), context(policy, NOW, NO_OWNERS)));
  expect(made.spec?.["instanceType"]).toBe("e2-highcpu-4");
  expect(readWorkload("VmTemplate", made)).toMatchObject({ vcpus: 4, memoryGiB: 4 });
});

/** A cluster with one pool of four nodes at most, which asks for 2 vCPU and 4 GiB a node. */
const cluster = (pool: object, spec: object): WorkloadObject => ({
  ...vm({}, {}),
  kind: "KaasCluster",
  spec: {
    provider: "gcp",
    schedulingLocation: "europe-west1",
    nodePools: [{ name: "a", cpu: 2, memory: 4, ...pool }],
    ...spec,
  },
});

const asks = (object: WorkloadObject): AdmissionRequest => ({ ...create(object), kind: "KaasCluster" });

it.each<[string, object, object, object]>([
  ["a named type", { count: 4 }, { poolInstanceTypes: { a: "n2-standard-64" } }, { vcpus: 256, memoryGiB: 1024 }],
  ["a type with GPUs", { count: 4, gpu: 8 }, {}, { vcpus: 384, memoryGiB: 1536 }],
  ["the type that the policy chose", { count: 4 }, {}, { vcpus: 8, memoryGiB: 32 }],
])("a pool of a cluster counts with the size of its nodes: %s", (_, pool, spec, size) => {
  const asked = cluster(pool, spec);
  const request = asks(asked);
  const outcome = admit(request, context(policy, NOW, NO_OWNERS));
  const made = patched(asked, outcome);
  expect(readWorkload("KaasCluster", made)).toMatchObject(size);
  if ("state" in outcome) throw new TypeError("it is not finished");
  expect(reserve(keyOf("a", request, outcome), request, outcome, NOW)?.workload).toMatchObject(size);
});

it("a cluster counts with the price of its pools at their largest, not with that of the expected nodes", () => {
  const [largest, fixed] = [{ min: 1, max: 9 }, { count: 9 }].map((pool) => {
    const asked = cluster(pool, {});
    return readWorkload("KaasCluster", patched(asked, admit(asks(asked), context(policy, NOW, NO_OWNERS))));
  });
  expect(fixed?.pricePerHour).toBeGreaterThan(0);
  expect(largest?.pricePerHour).toBe(fixed?.pricePerHour);
});

it("a cluster whose named types exceed the quota is denied", () => {
  const asked = cluster({ count: 4 }, { poolInstanceTypes: { a: "n2-standard-64" } });
  const namespace = { name: "demo", labels: {}, annotations: { "landfall.dev/quota-vcpus": "200" } };
  const relatedWorkloads = {
    ...{ usage: { objects: 0, vcpus: 0, memoryGiB: 0, pricePerMonth: 0 }, vmName: null, sameVmName: [], asOf: NOW },
  };
  const outcome = admit(asks(asked), { ...context(policy, NOW, NO_OWNERS), namespace, relatedWorkloads });
  expect(outcome).toMatchObject({ allowed: false, codes: ["POL_QUOTA"] });
});
