import { describe, expect, it } from "vitest";
import {
  type Emergency,
  emergenciesAt,
  emergencyAt,
  emergencyCondition,
  emergencyMetadata,
  readEmergencies,
} from "../../../src/model/emergency.ts";
import { missingChoices } from "../../../src/composition/decision/emergency.ts";
import { parseTime } from "../../../src/model/time.ts";

const at = (text: string): number => parseTime(`2026-03-01T${text}Z`) ?? Number.NaN;
const emergency = (namespaces: string[] | null, from: string, until: string): Emergency => ({
  ...{ namespaces, by: "ada", reason: "INC-42" },
  ...{ from: `2026-03-01T${from}Z`, until: `2026-03-01T${until}Z` },
});
const ONE = emergency(["demo"], "10:00:00", "10:30:00");
const ALL = emergency(null, "12:00:00", "12:10:00");

describe("an emergency", () => {
  it("covers its namespaces from its begin to before its end", () => {
    const found = (namespace: string, time: string) => emergencyAt([ONE, ALL], namespace, at(time));
    expect(found("demo", "09:59:59")).toBeNull();
    expect(found("demo", "10:00:00")).toBe(ONE);
    expect(found("demo", "10:29:59")).toBe(ONE);
    expect(found("demo", "10:30:00")).toBeNull();
    expect(found("other", "10:10:00")).toBeNull();
    expect(found("other", "12:00:00")).toBe(ALL);
    expect(emergencyAt([ONE], "demo", Number.NaN)).toBeNull();
  });

  it("becomes a condition that names its namespaces, or all", () => {
    const condition = (time: string) => emergencyCondition(emergenciesAt([ONE, ALL], at(time)))?.expression;
    expect(condition("11:00:00")).toBeUndefined();
    expect(condition("10:05:00")).toBe("!(request.namespace in ['demo'])");
    expect(condition("12:05:00")).toBe("false");
    const two = [ONE, emergency(["web", "demo"], "10:00:00", "10:30:00")];
    expect(emergencyCondition(two)?.expression).toBe("!(request.namespace in ['demo', 'web'])");
  });
});

describe("the record of emergencies", () => {
  it("is read as it was written, the latest that its Secret keeps", () => {
    const many = Array.from({ length: 3000 }, () => ONE);
    expect(readEmergencies({ metadata: emergencyMetadata([ONE, ALL]) })).toEqual([ONE, ALL]);
    const kept = readEmergencies({ metadata: emergencyMetadata([...many, ALL]) });
    expect(kept.length).toBeLessThan(many.length);
    expect(kept.at(-1)).toEqual(ALL);
  });

  it("keeps those that last before those that are over", () => {
    const names = (first: string): string[] =>
      Array.from({ length: 640 }, (_, at) => `${first}-${String(at).padStart(4, "0")}-${"x".repeat(57)}`.slice(0, 63));
    const at = (minutes: number): string => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();
    const lasting = { ...ONE, namespaces: names("a"), from: at(0), until: at(1440) };
    const later = [1, 2, 3, 4].map((one) => ({
      ...ONE,
      namespaces: names("b"),
      from: at(one * 30),
      until: at(one * 30 + 30),
    }));
    const kept = readEmergencies({ metadata: emergencyMetadata([lasting, ...later]) });
    expect(kept.map(({ from }) => from)).toEqual(
      [lasting.from, ...later.slice(-3).map(({ from }) => from)].slice(0, kept.length),
    );
    expect(kept[0]).toEqual(lasting);
    expect(kept.length).toBeLessThan(5);
  });

  it("fits in the annotations of a Secret together with a damaged record", () => {
    const full = Array.from({ length: 3000 }, () => ONE);
    const { annotations } = emergencyMetadata(full, JSON.stringify(["界".repeat(30_000)]));
    const bytes = Object.entries(annotations).map(([key, value]) => Buffer.byteLength(key) + Buffer.byteLength(value));
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(256 * 1024);
  });

  it.each<[string, string]>([
    ["no JSON", "{"],
    ["no list", "{}"],
    ["null", "[null]"],
    ["a wrong time", JSON.stringify([{ ...ONE, until: "soon" }])],
    ["a namespace that is no text", JSON.stringify([{ ...ONE, namespaces: [1] }])],
    ["no user", JSON.stringify([{ ...ONE, by: undefined }])],
  ])("holds nothing where somebody wrote %s", (_name, text) => {
    expect(readEmergencies({ metadata: { annotations: { "landfall.dev/emergencies": text } } })).toEqual([]);
  });

  it("holds nothing without a Secret", () => {
    expect(readEmergencies(null)).toEqual([]);
  });
});

describe("an object of an emergency", () => {
  const missing = (kind: string, spec: Record<string, unknown>) =>
    missingChoices({ apiVersion: "composition.krateo.io/v0-2-0", kind, metadata: {}, spec });

  it("names place, type and image itself", () => {
    const place = { provider: "aws", schedulingLocation: "eu-south-1" };
    expect(missing("VmTemplate", {})).toEqual(["provider", "schedulingLocation", "instanceType", "image"]);
    const chosen = { instanceType: "m7i.large", image: "ami-1" };
    expect(missing("VmTemplate", { ...place, ...chosen, zone: "eu-south-1a" })).toEqual([]);
    expect(missing("VmTemplate", { ...place, ...chosen })).toEqual(["zone"]);
    expect(missing("VmTemplate", { ...place, ...chosen, provider: "azure" })).toEqual([]);
    expect(missing("VmTemplate", { ...place, instanceType: "", image: null })).toEqual([
      "instanceType",
      "image",
      "zone",
    ]);
    const cluster = { ...place, nodePools: [{ name: "system" }, { name: "batch" }] };
    expect(missing("KaasCluster", { ...cluster, poolInstanceTypes: { system: "m7i.large" } })).toEqual([
      ...["kubernetesVersion", "zones", "poolInstanceTypes.batch"],
    ]);
  });
});
