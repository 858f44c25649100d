import { describe, expect, it } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { HOUR_SECONDS } from "../../../src/model/time.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";
import { auditObject } from "../../../src/audit/audit-object.ts";
import type { Finding } from "../../../src/audit/finding.ts";
import { reportsOf } from "../../../src/audit/report.ts";
import { createClusterData } from "../../../src/external-data/cluster-data.ts";
import type { ForecastBook } from "../../../src/model/places/forecast.ts";
import { context, create, NOW, patched, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";

const policy = await loadPolicy();

/** As it would be stored, decided under these annotations of its namespace. */
function stored(spec: Record<string, unknown>, annotations: Record<string, string> = {}): WorkloadObject {
  const object = vm(spec);
  const namespace = { name: "demo", labels: {}, annotations };
  return patched(object, admit(create(object), { ...context(policy), namespace }));
}

function audit(
  object: WorkloadObject,
  annotations: Record<string, string> = {},
  nowSeconds = NOW + 60,
  forecasts: ForecastBook | null = null,
): Finding | null {
  const clusterData = createClusterData();
  clusterData.apply({ type: "namespace", name: "demo", data: { name: "demo", labels: {}, annotations } });
  clusterData.apply({ type: "seen", at: nowSeconds });
  return auditObject(object, { policy, clusterData, forecasts, nowSeconds });
}

describe("the audit of an object", () => {
  it('reports "stay" for an object whose place would be chosen again', () => {
    expect(audit(stored({ cpu: 2, memory: 4 }))).toMatchObject({ verdict: "stay", codes: [], to: null, started: true });
  });

  it("reports the place that would be chosen today, and the saving", () => {
    const object = stored({ cpu: 2, memory: 4 }, { "landfall.dev/regions": "azure/westeurope" });
    const finding = audit(object);
    expect(finding).toMatchObject({ verdict: "move-on-recreate", place: "azure/westeurope", codes: [] });
    expect(finding?.to).not.toBe("azure/westeurope");
    expect(finding?.gramsSaved).toBeGreaterThan(0);
    expect(finding?.message).toMatch(/^\S+ would emit \d+ % less$/);
  });

  /** Germany at 300 g; France at 300 g up to this hour, at 10 g from then on. */
  function france(hour: number): ForecastBook {
    const zone = (values: number[]) => ({ issuedAt: NOW, start: NOW, stepSeconds: HOUR_SECONDS, values, band: null });
    const flat = Array.from({ length: 72 }, () => 300);
    const zones = { DE: zone(flat), FR: zone(flat.map((value, index) => (index < hour ? value : 10))) };
    return { sources: [{ name: "grid", maxAgeSeconds: 96 * HOUR_SECONDS, zones, problems: {}, problem: null }] };
  }
  const TEN_HOURS = { cpu: 2, memory: 4, duration: "10h", dataResidency: ["DE", "FR"], provider: "gcp" };
  const inGermany = (spec: object = {}) =>
    stored({ ...TEN_HOURS, ...spec }, { "landfall.dev/regions": "gcp/europe-west3" });

  it.each<[string, number, object, string]>([
    ["much of it is left", 1, {}, "move-on-recreate"],
    ["so little is left that a whole run elsewhere is no gain", 9.8, {}, "stay"],
    ["it is over", 11, {}, "stay"],
    ["a run created anew would miss the deadline", 1, { deadline: "2026-11-21T08:05:00Z" }, "stay"],
  ])("of a run: %s", (_, hours, spec, verdict) => {
    const finding = audit(inGermany(spec), {}, NOW + hours * HOUR_SECONDS, france(0));
    expect(finding).toMatchObject({ verdict, started: true });
  });

  it("counts the rest of a run, not the whole", () => {
    const [early, late] = [1, 5].map((hours) => audit(inGermany(), {}, NOW + hours * HOUR_SECONDS, france(0)));
    expect(early).toMatchObject({ verdict: "move-on-recreate", to: "gcp/europe-west9" });
    expect(late?.gramsSaved).toBeLessThan((early?.gramsSaved ?? 0) * 0.6);
  });

  it("reports whether the controller will move a waiting object, by the controller's rule", () => {
    const spec = { deadline: "2026-11-23T22:00:00Z", schedulingTime: "2026-11-21T22:00:00Z" };
    const waiting = inGermany(spec);
    const place = { place: "gcp/europe-west3", started: false };
    expect(audit(waiting, {}, NOW + HOUR_SECONDS, france(24))).toMatchObject({
      ...place,
      verdict: "move",
      to: "gcp/europe-west9",
    });
    expect(audit(waiting, {}, NOW + HOUR_SECONDS, france(60))).toMatchObject({ ...place, verdict: "stay", to: null });
  });

  /** 300 g, but 10 g in the hours that are named. */
  function dips(...hours: number[]): ForecastBook {
    const values = Array.from({ length: 72 }, (_, hour) => (hours.includes(hour) ? 10 : 300));
    const zone = { issuedAt: NOW, start: NOW, stepSeconds: HOUR_SECONDS, values, band: null };
    const zones = { DE: zone, FR: zone };
    return { sources: [{ name: "grid", maxAgeSeconds: 96 * HOUR_SECONDS, zones, problems: {}, problem: null }] };
  }
  const PAUSING = { ...TEN_HOURS, duration: "4h", deadline: "2026-11-23T22:00:00Z", interruptible: {} };
  const decided = (forecasts: ForecastBook): WorkloadObject => {
    const object = vm(PAUSING);
    const namespace = { name: "demo", labels: {}, annotations: { "landfall.dev/regions": "gcp/europe-west3" } };
    return patched(object, admit(create(object), { ...context(policy), namespace, forecasts }));
  };

  it("counts the parts of a run that is planned to pause, as the controller does", () => {
    const forecasts = dips(4, 5, 20, 21);
    const object = decided(forecasts);
    expect(object.metadata.annotations?.["landfall.dev/decision"]).toContain("segments");
    const finding = audit(object, { "landfall.dev/regions": "gcp/europe-west3" }, NOW + 60, forecasts);
    expect(finding).toMatchObject({ verdict: "stay", started: false, gramsSaved: null });
  });

  it("counts only the parts that are ahead of a run that has begun", () => {
    const object = decided(dips(0, 1, 20, 21));
    // In its pause: its second part of two hours is ahead, in the cheap hours.
    const finding = audit(object, {}, NOW + 10 * HOUR_SECONDS, dips(20, 21));
    expect(finding).toMatchObject({ verdict: "stay", started: true });
  });

  it("keeps a place that the user pinned", () => {
    const object = stored({ cpu: 2, memory: 4, provider: "azure", schedulingLocation: "westeurope" });
    expect(audit(object)).toMatchObject({ verdict: "stay" });
  });

  it("reports objects that would be denied today, but not for a deadline in the past", () => {
    const spec = { cpu: 2, memory: 4, duration: "1h", deadline: "2026-11-21T22:00:00Z" };
    const week = 7 * 86_400;
    expect(audit(stored(spec), {}, NOW + week)).toMatchObject({ verdict: "stay" });
    const denied = audit(stored(spec, { "landfall.dev/providers": "aws" }), { "landfall.dev/providers": "gcp" });
    expect(denied).toMatchObject({ verdict: "deny", codes: ["POL_PROVIDER"] });
  });

  it("distinguishes undecided objects from objects of other kinds", () => {
    expect(audit(vm({ cpu: 2, memory: 4 }))).toMatchObject({ verdict: "undecided", place: null });
    expect(audit({ ...vm({}), kind: "Pod" })).toBeNull();
  });
});

describe("the reports", () => {
  const finding = (name: string, changes: Partial<Finding> = {}): Finding => ({
    ...{ kind: "VmTemplate", namespace: "demo", name, verdict: "stay", codes: [], message: "", place: "aws/eu-west-1" },
    ...{ to: null, gramsSaved: null, started: true },
    ...changes,
  });

  it("count all objects and list those that do not stay, most urgent first", () => {
    const findings = [
      finding("a"),
      finding("b", { verdict: "move", gramsSaved: 1 }),
      finding("f", { verdict: "move-on-recreate", gramsSaved: 9 }),
      finding("c", { verdict: "move", gramsSaved: 5 }),
      finding("d", { verdict: "deny", codes: ["POL_QUOTA"], message: "x".repeat(400) }),
      finding("e", { namespace: "another" }),
    ];
    const [another, demo] = reportsOf(findings, "sha256:1");
    expect(another).toMatchObject({ metadata: { namespace: "another" }, results: [], omitted: 0 });
    expect(demo?.summary).toEqual({ objects: 5, deny: 1, move: 2, moveOnRecreate: 1, stay: 1, undecided: 0 });
    expect(demo?.results.map(({ name }) => name)).toEqual(["d", "c", "b", "f"]);
    expect(demo?.results[0]?.message).toHaveLength(300);
  });

  it("stay within the size limit of an object", () => {
    const findings = Array.from({ length: 130 }, (_, index) => finding(`vm-${String(index)}`, { verdict: "deny" }));
    expect(reportsOf(findings, "sha256:1")).toMatchObject([{ summary: { deny: 130 }, omitted: 30 }]);
    expect(reportsOf(findings, "sha256:1")[0]?.results).toHaveLength(100);
  });
});
