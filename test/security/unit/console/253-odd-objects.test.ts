import { expect, it } from "vitest";
import { anyRowOf, rowOf } from "../../../../src/console/objects/row-of.ts";
import { objectReport } from "../../../../src/console/report/object-report.ts";
import type { Resource } from "../../../../src/model/kubernetes.ts";

const ODD: unknown[] = [undefined, null, 1, "", [], {}, { toString: 1 }, [{ toString: null }], true];
const MISSING = { state: "missing", detail: "" } as const;

const object = (status: object, decision: object = {}): Resource =>
  ({
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec: {}, status },
    metadata: {
      ...{ name: "web", namespace: "shop", uid: "u", creationTimestamp: "2026-01-01T00:00:00Z" },
      annotations: { "landfall.dev/decision": JSON.stringify(decision) },
    },
  }) as Resource;

const report = (given: Resource) => objectReport(given, { verdict: null, signature: MISSING, nowSeconds: 0 });

it("conditions with anything in their fields hide no list and no object", () => {
  for (const odd of ODD)
    for (const field of ["status", "reason", "message", "lastTransitionTime"]) {
      const condition = { type: "Ready", status: "False", reason: "Creating", message: "", [field]: odd };
      const given = object({ conditions: [condition] });
      expect(rowOf(given), `${field}: ${JSON.stringify(odd)}`).toMatchObject({ name: "web", state: "starting" });
      const [shown] = report(given).conditions;
      for (const text of Object.values(shown ?? {})) expect(text).toBeTypeOf("string");
    }
});

it("moves with anything in their fields hide no object", () => {
  const placement = { provider: "aws", region: "eu-north-1", start: "2026-01-01T00:00:00Z" };
  for (const odd of ODD) {
    const move = { at: "2026-01-01T00:00:00Z", from: { place: odd }, to: { place: odd }, why: odd };
    const given = object({}, { id: "d", inputs: "i", written: [], placement, moves: [move] });
    expect(report(given).row.name, JSON.stringify(odd)).toBe("web");
    expect(report(given).life.map(({ what }) => what)).toContain("Moved");
  }
});

it("an object that cannot be shown is a row that says so", () => {
  const broken = { ...object({}), spec: null } as unknown as Resource;
  expect(() => rowOf(broken)).toThrow();
  expect(anyRowOf(broken)).toMatchObject({ name: "web", state: "failing", reason: "NotReadable" });
});
