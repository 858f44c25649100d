import { describe, expect, it } from "vitest";
import { verifyDecision } from "../../../../../src/model/decision-annotation/signature.ts";
import { specStanding } from "../../../../../src/model/decision-annotation/still-holds.ts";
import { standingOf } from "../../../../../src/model/decision-annotation/standing.ts";
import { ANNOTATION } from "../../../../../src/model/names.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { vm } from "../../../../support/admission.ts";
import { authenticatingWebhook, useOf } from "../../../../support/services/authenticating-webhook.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const SPEC = { cpu: 2, memory: 4 };
const named = (name: string, spec: Record<string, unknown> = SPEC): WorkloadObject => vm(spec, { name });
const QUOTA = { "landfall.dev/quota-objects": "1" };

describe("60: a review of a caller that nobody authenticated", () => {
  it("is decided, and its signature is an offer that counts for no object", () => {
    const { create, store, keys } = authenticatingWebhook(policy);
    const { allowed, object } = create("none", named("web"));
    expect([allowed, useOf(object)]).toEqual([true, "offer"]);
    const stored = store(object, "u-1");
    const verified = verifyDecision(keys, stored);
    expect(verified && [standingOf(verified, stored.metadata, null), specStanding(verified, stored)]).toEqual([
      "foreign",
      "changed",
    ]);
  });

  it("decides the same as one with a certificate, which stays as it was", () => {
    const [open, closed] = [authenticatingWebhook(policy), authenticatingWebhook(policy)];
    const [offered, final] = [open.create("none", named("web")), closed.create("client-certificate", named("web"))];
    expect(useOf(final.object)).toBe("create");
    expect(offered.object.spec).toEqual(final.object.spec);
    expect(offered.object.metadata.annotations?.[ANNOTATION.decision]).toBe(
      final.object.metadata.annotations?.[ANNOTATION.decision],
    );
  });

  it("reserves nothing and is no entry of the decision log, however often it is sent", () => {
    const { create } = authenticatingWebhook(policy, QUOTA);
    const forged = Array.from({ length: 50 }, (_, at) => create("none", named(`x${String(at)}`)));
    expect(forged.every(({ allowed }) => allowed)).toBe(true);
    expect(forged.flatMap(({ reply }) => [reply.reserved, reply.decided]).filter((one) => one !== null)).toEqual([]);
    expect(create("client-certificate", named("web")).allowed).toBe(true);
  });

  it("reserves nothing as the guard's caller", () => {
    const { create, guard, clusterData, clock } = authenticatingWebhook(policy, QUOTA);
    const { object } = create("client-certificate", named("web"));
    clock.nowSeconds += 60;
    expect(guard("none", object).reply.reserved).toBeNull();
    expect(clusterData.around({ key: "x", namespace: "demo", vmName: null }, clock.nowSeconds)?.usage.objects).toBe(0);
  });

  it("reads no figures and no names of others in a denial", () => {
    const { create, store, clusterData } = authenticatingWebhook(policy, { "landfall.dev/quota-vcpus": "7" });
    store(create("client-certificate", named("secret-project", { cpu: 6, memory: 8 })).object, "u-1");
    const known = create("client-certificate", named("web"));
    expect(known.message).toMatch(/POL_QUOTA[\s\S]*|6[\s\S]*7/);
    const told = create("none", named("web"));
    expect(told.allowed).toBe(false);
    expect(told.message).toContain("ADM_UNDISCLOSED");
    expect(told.message).toContain("POL_QUOTA");
    expect(told.reply.body).not.toMatch(/secret-project|\b6 |\bof 7\b/);
    expect(clusterData.knows("demo")).toBe(true);
  });

  it("is told in full what is wrong with the object itself", () => {
    const { create } = authenticatingWebhook(policy);
    const { message } = create("none", named("web", { cpu: "two", memory: 4 }));
    expect(message).toContain("spec.cpu");
  });
});

describe("60: a signature that somebody brings along", () => {
  it("an offer on a new object is decided anew", () => {
    const { create, clock } = authenticatingWebhook(policy);
    const forged = create("none", named("web", { ...SPEC, schedulingLocation: "francecentral", provider: "azure" }));
    clock.nowSeconds += 5;
    const again = create("none", forged.object);
    expect(useOf(again.object)).toBe("offer");
    expect(again.object.metadata.annotations?.[ANNOTATION.seal]).not.toBe(
      forged.object.metadata.annotations?.[ANNOTATION.seal],
    );
  });

  it("an offer on an update does not stand for the user's own request", () => {
    const { create, update, store, confirming, clock } = authenticatingWebhook(policy);
    const offered = store(create("none", named("web", { ...SPEC, provider: "azure" })).object, "u-1");
    const final = store(update("none", offered, confirming(offered)).object, "u-1");
    clock.nowSeconds += 5;
    const grown = { ...final, spec: { ...final.spec, cpu: 8 } };
    const first = update("none", final, grown);
    expect([first.message, useOf(first.object)]).toEqual(["", "offer"]);
    const second = update("none", final, first.object);
    expect([second.allowed, useOf(second.object)]).toEqual([true, "offer"]);
    expect(second.object.spec).toEqual(first.object.spec);
  });
});

describe("60: the leading controller's confirmation", () => {
  it("makes the decision final, for the object that the API server stored", () => {
    const { create, update, guard, store, confirming } = authenticatingWebhook(policy);
    const offered = store(create("none", named("web")).object, "u-1");
    const { allowed, object, reply } = update("none", offered, confirming(offered));
    expect([allowed, useOf(object), object.metadata.annotations?.[ANNOTATION.confirm]]).toEqual([
      true,
      "uid",
      undefined,
    ]);
    expect(reply.reserved).toMatchObject({ key: "VmTemplate/demo/web" });
    expect(reply.decided).not.toBeNull();
    expect(guard("none", object, offered).allowed).toBe(true);
  });

  it.each<[string, (object: WorkloadObject) => WorkloadObject]>([
    ["another spec", (object) => ({ ...object, spec: { ...object.spec, cpu: 64 } })],
    ["another uid", (object) => ({ ...object, metadata: { ...object.metadata, uid: "u-2" } })],
    ["another name", (object) => ({ ...object, metadata: { ...object.metadata, name: "other" } })],
    ["another label", (object) => ({ ...object, metadata: { ...object.metadata, labels: { team: "a" } } })],
  ])("does not count for %s", (_what, change) => {
    const { create, update, store, confirming } = authenticatingWebhook(policy);
    const offered = store(create("none", named("web")).object, "u-1");
    const forged = change(confirming(offered));
    // Also if the caller invents an old object that fits.
    const { [ANNOTATION.confirm]: _, ...annotations } = forged.metadata.annotations ?? {};
    for (const oldObject of [offered, { ...forged, metadata: { ...forged.metadata, annotations } }]) {
      const { allowed, message } = update("none", oldObject, forged);
      expect([allowed, message]).toEqual([false, expect.stringContaining("ADM_CONFIRMATION")]);
    }
  });

  it.each(["", "v1", "v1.00000000.1795212000." + "A".repeat(43), "v1.x.y.z"])("cannot be %j", (value) => {
    const { create, update, store } = authenticatingWebhook(policy);
    const offered = store(create("none", named("web")).object, "u-1");
    const annotations = { ...offered.metadata.annotations, [ANNOTATION.confirm]: value };
    const { message } = update("none", offered, { ...offered, metadata: { ...offered.metadata, annotations } });
    expect(message).toContain("ADM_CONFIRMATION");
  });

  it("expires", () => {
    const { create, update, store, confirming, clock } = authenticatingWebhook(policy);
    const offered = store(create("none", named("web")).object, "u-1");
    const confirmed = confirming(offered);
    clock.nowSeconds += 301;
    expect(update("none", offered, confirmed).message).toContain("ADM_CONFIRMATION");
  });

  it("lets as many through as the quota allows, and no more, in the controller's order", () => {
    const { create, update, store, confirming } = authenticatingWebhook(policy, { "landfall.dev/quota-objects": "2" });
    const names = ["a", "b", "c"];
    const offered = names
      .map((name) => create("none", named(name)))
      .map(({ object }, at) => store(object, `u-${String(at)}`));
    expect(offered.map((object) => useOf(object))).toEqual(["offer", "offer", "offer"]);
    const answers = offered.map((object) => update("none", object, confirming(object)));
    expect(answers.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    // The controller is told why, in figures: it stands in the object's own status.
    expect(answers[2]?.message).toContain("POL_QUOTA");
    expect(answers[2]?.message).not.toContain("ADM_UNDISCLOSED");
  });

  it("of an object whose confirmation is denied leaves the offer, which can be confirmed later", () => {
    const { create, update, store, confirming, clusterData, clock } = authenticatingWebhook(policy, QUOTA);
    const [one, other] = ["a", "b"].map((name, at) => store(create("none", named(name)).object, `u-${String(at)}`));
    if (one === undefined || other === undefined) throw new TypeError("no objects");
    store(update("none", one, confirming(one)).object, "u-0");
    expect(update("none", other, confirming(other)).allowed).toBe(false);
    clusterData.apply({ type: "workload", key: "VmTemplate/demo/a", workload: null });
    clock.nowSeconds += 60;
    expect(update("none", other, confirming(other)).allowed).toBe(true);
  });

  it("that a stored object kept while no webhook answered is removed by its next update", () => {
    const { create, update, store, confirming } = authenticatingWebhook(policy);
    const offered = store(create("none", named("web")).object, "u-1");
    const kept = confirming(offered);
    const labelled = { ...kept, metadata: { ...kept.metadata, labels: { team: "a" } } };
    const { allowed, object } = update("none", kept, labelled);
    expect([allowed, object.metadata.annotations?.[ANNOTATION.confirm]]).toEqual([true, undefined]);
  });
});
