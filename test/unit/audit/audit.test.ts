import { describe, expect, it } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import type { WorkloadObject } from "../../../src/admission/workload-object.ts";
import { auditObject } from "../../../src/audit/audit-object.ts";
import type { Finding } from "../../../src/audit/finding.ts";
import { reportsOf } from "../../../src/audit/report.ts";
import { createClusterFacts } from "../../../src/facts/cluster-facts.ts";
import { context, create, NOW, patched, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";

const policy = await loadPolicy();

/** As it would be stored, decided under these annotations of its namespace. */
function stored(spec: Record<string, unknown>, annotations: Record<string, string> = {}): WorkloadObject {
  const object = vm(spec);
  const namespace = { name: "demo", labels: {}, annotations };
  return patched(object, admit(create(object), { ...context(policy), namespace }));
}

function audit(object: WorkloadObject, annotations: Record<string, string> = {}, now = NOW + 60): Finding | null {
  const facts = createClusterFacts();
  facts.apply({ type: "namespace", name: "demo", facts: { name: "demo", labels: {}, annotations } });
  facts.apply({ type: "seen", at: now });
  return auditObject(object, { policy, facts, now });
}

describe("the audit of an object", () => {
  it("lets an object stay whose place would be chosen again", () => {
    expect(audit(stored({ cpu: 2, memory: 4 }))).toMatchObject({ verdict: "stay", codes: [], to: null, started: true });
  });

  it("says where an object would land today, and what that would save", () => {
    const object = stored({ cpu: 2, memory: 4 }, { "landfall.dev/regions": "azure/westeurope" });
    const finding = audit(object);
    expect(finding).toMatchObject({ verdict: "move", place: "azure/westeurope", codes: [] });
    expect(finding?.to).not.toBe("azure/westeurope");
    expect(finding?.gramsSaved).toBeGreaterThan(0);
    expect(finding?.message).toMatch(/^\S+ would emit \d+ % less$/);
  });

  it("keeps a place that the user pinned", () => {
    const object = stored({ cpu: 2, memory: 4, provider: "azure", schedulingLocation: "westeurope" });
    expect(audit(object)).toMatchObject({ verdict: "stay" });
  });

  it("names what would be denied today, and does not ask whether a past deadline can be met", () => {
    const spec = { cpu: 2, memory: 4, duration: "1h", deadline: "2026-11-21T22:00:00Z" };
    const week = 7 * 86_400;
    expect(audit(stored(spec), {}, NOW + week)).toMatchObject({ verdict: "stay" });
    const denied = audit(stored(spec, { "landfall.dev/providers": "aws" }), { "landfall.dev/providers": "gcp" });
    expect(denied).toMatchObject({ verdict: "deny", codes: ["POL_PROVIDER"] });
  });

  it("tells what nobody decided from what is none of its business", () => {
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

  it("count everything and list what does not simply stay, the most urgent first", () => {
    const findings = [
      finding("a"),
      finding("b", { verdict: "move", gramsSaved: 1 }),
      finding("c", { verdict: "move", gramsSaved: 5 }),
      finding("d", { verdict: "deny", codes: ["POL_QUOTA"], message: "x".repeat(400) }),
      finding("e", { namespace: "another" }),
    ];
    const [another, demo] = reportsOf(findings, "sha256:1");
    expect(another).toMatchObject({ metadata: { namespace: "another" }, results: [], omitted: 0 });
    expect(demo?.summary).toEqual({ objects: 4, deny: 1, move: 2, stay: 1, undecided: 0 });
    expect(demo?.results.map(({ name }) => name)).toEqual(["d", "c", "b"]);
    expect(demo?.results[0]?.message).toHaveLength(300);
  });

  it("stay within what an object may hold", () => {
    const findings = Array.from({ length: 130 }, (_, index) => finding(`vm-${String(index)}`, { verdict: "deny" }));
    expect(reportsOf(findings, "sha256:1")).toMatchObject([{ summary: { deny: 130 }, omitted: 30 }]);
    expect(reportsOf(findings, "sha256:1")[0]?.results).toHaveLength(100);
  });
});
