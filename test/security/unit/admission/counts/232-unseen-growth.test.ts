import { describe, expect, it } from "vitest";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { openStore } from "../../../../support/admission-store.ts";
import { vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

const QUOTA = { "landfall.dev/quota-vcpus": "64" };
const SIZE = { cpu: 4, memory: 16 };

/** A machine that a webhook admitted, which then sees nothing of the cluster for 61 s. */
function unseen(spec: Record<string, unknown>, annotations: Record<string, string> = QUOTA) {
  const store = openStore(policy, annotations);
  const { object } = store.create(vm({ ...SIZE, ...spec }, { name: "web" }));
  const place = () => {
    store.install(object);
    return { ...object, status: { managed: [{ path: "/apis/x/v1/namespaces/demo/things/web" }] } };
  };
  const change = (stored: WorkloadObject, changes: Record<string, unknown>): string => {
    const { allowed, message } = store.update(stored, { ...stored, spec: { ...stored.spec, ...changes } });
    return allowed ? "allowed" : message;
  };
  const stopWatching = (): void => {
    store.watch.isOpen = false;
    store.clock.nowSeconds += 61;
  };
  return { object, place, change, stopWatching, watch: store.watch };
}

const AZURE = { provider: "azure", schedulingLocation: "italynorth" };
const LATER = { schedulingTime: "2027-01-01T00:00:00Z" };

describe("232: while the webhook cannot watch", () => {
  it("an installed machine in a namespace with a quota does not grow", () => {
    const { place, change, stopWatching, watch } = unseen(AZURE);
    const stored = place();
    stopWatching();
    expect(change(stored, { cpu: 8, memory: 32 })).toContain("POL_QUOTA_STALE");
    expect(change(stored, { cpu: 4, memory: 64 })).toContain("POL_QUOTA_STALE");
    watch.isOpen = true;
    expect(change(stored, { cpu: 8, memory: 32 })).toBe("allowed");
  });

  it("it may shrink, and change otherwise", () => {
    const { place, change, stopWatching } = unseen(AZURE);
    const stored = place();
    stopWatching();
    expect(change(stored, { cpu: 2, memory: 8 })).toBe("allowed");
    expect(change(stored, { tags: { team: "a" } })).toBe("allowed");
  });

  it("a waiting machine is not decided again, and changes otherwise", () => {
    const { object, change, stopWatching, watch } = unseen(LATER);
    stopWatching();
    expect(change(object, { cpu: 32, memory: 128 })).toContain("POL_QUOTA_STALE");
    expect(change(object, { tags: { team: "a" } })).toBe("allowed");
    watch.isOpen = true;
    expect(change(object, { cpu: 32, memory: 128 })).toBe("allowed");
  });

  it("machines grow in namespaces without a quota", () => {
    const { place, change, stopWatching } = unseen(AZURE, {});
    const stored = place();
    stopWatching();
    expect(change(stored, { cpu: 8, memory: 32 })).toBe("allowed");
  });
});
