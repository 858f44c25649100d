import { describe, expect, it } from "vitest";
import { createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { NOW, vm } from "../../../../support/admission.ts";
import { authenticatingWebhook, useOf } from "../../../../support/services/authenticating-webhook.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const KEY = "VmTemplate/demo/web";
const named = (name: string, cpu = 2): WorkloadObject => vm({ cpu, memory: 4 }, { name });

describe("270: an object that is stored with an offer", () => {
  it("has its name: a creation under it reserves nothing", () => {
    const { create, store, clusterData } = authenticatingWebhook(policy);
    store(create("none", named("web")).object, "u-1");
    const { allowed, message, reply } = create("client-certificate", named("web", 16));
    expect([allowed, message]).toEqual([false, expect.stringContaining("ADM_NAME_EXISTS")]);
    expect([reply.reserved, clusterData.workloads(NOW, "")]).toEqual([null, []]);
  });

  it("does not end the reservation of its confirmation when it changes before that is stored", () => {
    const { create, update, store, confirming, clusterData } = authenticatingWebhook(policy);
    const offered = store(create("none", named("web")).object, "u-1");
    const confirmed = update("none", offered, confirming(offered));
    expect([confirmed.reply.reserved?.type, useOf(confirmed.object)]).toEqual(["reservation", "uid"]);
    store(offered, "u-1");
    expect(clusterData.workloads(NOW, "").map(({ name, vcpus }) => [name, vcpus])).toEqual([["web", 2]]);
    store(confirmed.object, "u-1");
    expect(clusterData.workloads(NOW, "")).toHaveLength(1);
  });

  it("counts against its namespace if its confirmation is never stored, but not while it is awaited", () => {
    const { create, update, store, confirming, clusterData, clock } = authenticatingWebhook(policy);
    const offered = store(create("none", named("web")).object, "u-1");
    update("none", offered, confirming(offered));
    store(offered, "u-1");
    clusterData.apply({ type: "seen", at: NOW + 1 });
    expect(clusterData.unstored.times("demo", NOW + 1)).toEqual([]);
    clock.nowSeconds += 60;
    clusterData.apply({ type: "seen", at: NOW + 60 });
    expect(clusterData.unstored.times("demo", NOW + 60)).toHaveLength(1);
  });

  it("still has what its release runs, its machine's name included", () => {
    const { create, update, store, confirming, clusterData } = authenticatingWebhook(policy);
    const offered = store(create("none", vm({ cpu: 2, memory: 4, provider: "azure" }, { name: "web" })).object, "u-1");
    const final = store(update("none", offered, confirming(offered)).object, "u-1");
    const [{ place, pricePerHour } = { place: null, pricePerHour: null }] = clusterData.workloads(NOW, "");
    const installed = {
      ...{ kind: "VmTemplate", namespace: "demo", name: "web", uid: "u-1", release: "web" },
      ...{
        place: "azure/italynorth",
        running: [{ place: place ?? "", vcpus: 2, memoryGiB: 4, pricePerHour }],
      },
    };
    clusterData.apply({ type: "release", record: "r", installed });
    const changed = update("none", final, { ...final, spec: { ...final.spec, cpu: 4, memory: 8 } });
    expect([changed.message, useOf(changed.object)]).toEqual(["", "offer"]);
    store(changed.object, "u-1");
    const [own, other] = [KEY, "VmTemplate/demo/new"].map((key) =>
      clusterData.around({ key, namespace: "demo", vmName: "web" }, NOW),
    );
    expect([own?.usage.vcpus, own?.sameVmName]).toEqual([0, []]);
    expect([other?.usage.vcpus, other?.sameVmName]).toEqual([2, [{ namespace: "demo", name: "web" }]]);
  });

  it("is told to a process that starts later", () => {
    const { create, store, clusterData } = authenticatingWebhook(policy);
    store(create("none", named("web")).object, "u-1");
    const copy = createClusterData();
    for (const event of clusterData.snapshot()) copy.apply(event);
    expect([copy.isStored(KEY), copy.workloads(NOW, "")]).toEqual([true, []]);
    copy.apply({ type: "workload", key: KEY, workload: null });
    expect(copy.isStored(KEY)).toBe(false);
  });
});
