import { describe, expect, it } from "vitest";
import { readWorkload } from "../../../../../src/model/read-workload.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { openStore } from "../../../../support/admission-store.ts";
import { vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

/** A machine that runs, and changes of it. */
function running(provider: string, region: string, size = { cpu: 8, memory: 32 }) {
  const store = openStore(policy);
  const asked = vm({ ...size, provider, schedulingLocation: region }, { name: "big" });
  const { object } = store.create(asked);
  store.install(object);
  const status = { managed: [{ path: "/apis/x/v1/namespaces/demo/things/big" }] };
  let stored: WorkloadObject = { ...object, status };
  const lower = (spec: object, annotations: Record<string, string> = {}) => {
    const metadata = { ...stored.metadata, annotations: { ...stored.metadata.annotations, ...annotations } };
    const changed = { ...stored, metadata, spec: { ...stored.spec, ...spec } };
    const result = store.update(stored, changed);
    if (!result.allowed) return result.message;
    stored = { ...result.object, status };
    return readWorkload("VmTemplate", stored);
  };
  return { lower, typeOf: () => stored.spec?.["instanceType"] };
}

describe("98: an installed machine whose object asks for less", () => {
  it.each([
    ["aws", "eu-south-1", { cpu: 8, memory: 32 }, { vcpus: 8, memoryGiB: 32 }],
    // Elemento's smallest flavour with 4 GiB has 4 vCPU.
    ["elemento", "ovh-fr-strasbourg", { cpu: 2, memory: 4 }, { vcpus: 4, memoryGiB: 4 }],
  ])(
    "counts as before where %s cannot change its size, however often it is lowered",
    (provider, region, size, counted) => {
      const { lower, typeOf } = running(provider, region, size);
      const type = typeOf();
      expect(type).toBeTypeOf("string");
      expect(lower({ memory: size.memory / 2 })).toMatchObject(counted);
      expect(lower({ cpu: 1 })).toMatchObject(counted);
      expect(lower({ maxLatency: 200 })).toMatchObject(counted);
      expect(typeOf()).toBe(type);
    },
  );

  it("counts less once a smaller type is decided, where the provider changes it in place", () => {
    expect(running("azure", "italynorth").lower({ cpu: 2, memory: 4 })).toMatchObject({ vcpus: 2, memoryGiB: 4 });
  });

  it("counts as before if it may move, but stays", () => {
    const { lower, typeOf } = running("aws", "eu-south-1");
    const type = typeOf();
    expect(lower({ cpu: 2, memory: 4 }, { "landfall.dev/allow-move": "true" })).toMatchObject({ vcpus: 8 });
    expect(typeOf()).toBe(type);
  });
});
