import { describe, expect, it } from "vitest";
import kaasCluster from "../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import vmTemplate from "../../../schemas/vm-template.schema.json" with { type: "json" };
import { KINDS, type Kind } from "../../../src/model/names.ts";
import {
  abilitiesOf,
  FIELD_CHANGES,
  OPERATIONS,
  operationsFile,
  replacedFields,
} from "../../../src/model/places/operations.ts";
import { PROVIDERS } from "../../../src/model/workload.ts";

const SCHEMAS: Record<Kind, { properties: object }> = { VmTemplate: vmTemplate, KaasCluster: kaasCluster };

/** Fields that decide where and when, and that no provider sees; sizes are covered by the operation `resize`. */
const OF_THE_DECISION = [
  ...["duration", "deadline", "maxLatency", "origin", "provider", "schedulingLocation", "schedulingTime"],
  ...["keepFailed", "dataResidency", "burstable", "optimizeFor", "maxWait", "waitingCostPercent", "maxPrice", "global"],
];
const SIZES = ["cpu", "memory", "instanceType"];

const all = KINDS.flatMap((kind) => PROVIDERS.map((provider) => ({ kind, provider })));

describe.each(all)("catalog/operations.json: $kind on $provider", ({ kind, provider }) => {
  const { operations, fields } = abilitiesOf(kind, provider);

  it("says of every operation whether it is possible, with a source", () => {
    expect(Object.keys(operations).sort()).toEqual([...OPERATIONS].sort());
    for (const { can, detail, source } of Object.values(operations)) {
      expect(typeof can).toBe("boolean");
      expect(detail).not.toBe("");
      expect(Object.keys(operationsFile.sources)).toContain(source);
    }
  });

  it("says of every field what a change does, with a source", () => {
    for (const { change, detail, source } of Object.values(fields)) {
      expect(FIELD_CHANGES).toContain(change);
      expect(detail).not.toBe("");
      expect(Object.keys(operationsFile.sources)).toContain(source);
    }
    const named = new Set(Object.keys(fields).map((field) => field.split(".")[0]));
    const left = Object.keys(SCHEMAS[kind].properties).filter((field) => !named.has(field));
    expect(left.filter((field) => ![...OF_THE_DECISION, ...SIZES].includes(field))).toEqual([]);
  });

  it("names no field that the schema does not have", () => {
    const known = Object.keys(SCHEMAS[kind].properties);
    expect(Object.keys(fields).filter((field) => !known.includes(field.split(".")[0] ?? ""))).toEqual([]);
  });
});

describe("what only some providers can do", () => {
  const which = (kind: Kind, name: (typeof OPERATIONS)[number]): string[] =>
    PROVIDERS.filter((provider) => abilitiesOf(kind, provider).operations[name].can);

  it("is to stop a machine: Google Cloud and Elemento", () => {
    expect(which("VmTemplate", "stop")).toEqual(["gcp", "elemento"]);
    expect(which("VmTemplate", "start")).toEqual(["gcp", "elemento"]);
    expect(which("KaasCluster", "stop")).toEqual([]);
  });

  it("is to attach a data disk to another machine: Azure and Google Cloud", () => {
    expect(which("VmTemplate", "recreate")).toEqual([...PROVIDERS]);
    expect(which("VmTemplate", "reattach")).toEqual(["azure", "gcp"]);
    expect(which("KaasCluster", "recreate")).toEqual([]);
  });

  it("is to limit the run time: none with its operator", () => {
    expect(which("VmTemplate", "runLimit")).toEqual([]);
  });

  it("is to change the size: Azure and Google Cloud", () => {
    expect(which("VmTemplate", "resize")).toEqual(["azure", "gcp"]);
  });

  it("is to keep the image: nobody changes the one of a machine", () => {
    for (const provider of PROVIDERS) expect(replacedFields(abilitiesOf("VmTemplate", provider))).toContain("image");
  });
});
