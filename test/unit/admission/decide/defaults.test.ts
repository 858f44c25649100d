import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import { loadBundle } from "../../../../src/policy/load-bundle.ts";
import { context, create, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import { changedBundle } from "../../../support/bundles/watched-bundle.ts";

const withDisk = async (osDisk: { sizeGiB: number | null; type: string | null }) =>
  loadBundle(
    await changedBundle((data) => {
      data.landfall["settings"] = { ...data.landfall["settings"], osDisk };
    }),
    "test",
  );

describe("the default disk of the settings", () => {
  it("is written if the object does not set it, and stays when the settings change", async () => {
    const policy = await withDisk({ sizeGiB: 64, type: "premium" });
    const object = vm({ cpu: 2, memory: 4, provider: "azure" });
    const stored = patched(object, admit(create(object), context(policy)));
    expect(stored.spec?.["osDisk"]).toEqual({ sizeGiB: 64, type: "premium" });
    const later = context(await withDisk({ sizeGiB: 32, type: null }), NOW + 60);
    const again = patched(object, admit(update(stored, object), later));
    expect(again.spec).toEqual(stored.spec);
  });

  it("has no class on Elemento, and does not override the object", async () => {
    const policy = await withDisk({ sizeGiB: 64, type: "premium" });
    const there = vm({ cpu: 2, memory: 2, provider: "elemento" });
    expect(patched(there, admit(create(there), context(policy))).spec?.["osDisk"]).toEqual({ sizeGiB: 64 });
    const own = vm({ cpu: 2, memory: 4, osDisk: { sizeGiB: 100 } });
    expect(patched(own, admit(create(own), context(policy))).spec?.["osDisk"]).toEqual({ sizeGiB: 100 });
  });

  it("is the chart's own if the settings name none, and a namespace can set one", async () => {
    const policy = await loadPolicy();
    const object = vm({ cpu: 2, memory: 4 });
    expect(patched(object, admit(create(object), context(policy))).spec).not.toHaveProperty("osDisk");
    const namespace = { name: "demo", labels: {}, annotations: { "landfall.dev/os-disk-gib": "80" } };
    const stored = patched(object, admit(create(object), { ...context(policy), namespace }));
    expect(stored.spec?.["osDisk"]).toEqual({ sizeGiB: 80 });
  });
});

describe("the cluster's data", () => {
  const relatedWorkloads = (asOf: number) => ({
    ...{ usage: { objects: 0, vcpus: 0, memoryGiB: 0, pricePerMonth: 0 }, vmName: "web", sameVmName: [], asOf },
  });

  it("has its time in the decision, and is reported as stale after two minutes", async () => {
    const ask = async (asOf: number) => {
      const request = { ...context(await loadPolicy()), kind: "VmTemplate", operation: "CREATE" } as const;
      return decideAlone({
        ...request,
        object: vm({ cpu: 2, memory: 4, provider: "azure" }),
        relatedWorkloads: relatedWorkloads(asOf),
      });
    };
    const fresh = await ask(NOW - 5);
    expect(fresh.data["cluster"]).toBe("2026-11-20T21:59:55Z");
    expect(fresh.degraded.map(({ code }) => code)).not.toContain("FACTS_STALE");
    const stale = await ask(NOW - 300);
    expect(stale.degraded.map(({ code }) => code)).toContain("FACTS_STALE");
    expect(stale.degraded.find(({ code }) => code === "FACTS_STALE")?.message).toContain("300 s ago");
  });
});
