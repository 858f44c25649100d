import { describe, expect, it } from "vitest";
import { type Emergency, emergencyAt, emergencyMetadata, readEmergencies } from "../../../../src/model/emergency.ts";
import { formatTime } from "../../../../src/model/time.ts";

const FROM = 1_800_000_000;
/** Of all annotations of an object, the API server stores so many bytes. */
const STORED_BYTES = 256 * 1024;

/** One a day: the longest of a namespace that a reason of a few words describes. */
const emergencies = (count: number, reason = "INC-42: the bundle denies every region"): Emergency[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ namespaces: ["payments"], by: "ada@example.org", reason },
    ...{ from: formatTime(FROM + index * 86_400), until: formatTime(FROM + index * 86_400 + 1800) },
  }));

const written = (known: readonly Emergency[]) => emergencyMetadata(known).annotations;
const sizeOf = (annotations: Record<string, string>): number => Buffer.byteLength(JSON.stringify(annotations));

describe("221: the record of emergencies", () => {
  it("keeps an emergency after 500 later ones, so that its objects stay in the audit", () => {
    const known = emergencies(501);
    const read = readEmergencies({ metadata: { annotations: written(known) } });
    expect(read).toEqual(known);
    expect(emergencyAt(read, "payments", FROM + 60)).toEqual(known[0]);
  });

  it.each<[string, string]>([
    ["letters", "x"],
    ["umlauts", "ü"],
    ["control characters", "\u0001"],
  ])("is as small as the API server stores it, and loses the oldest alone: %s", (_name, character) => {
    const known = emergencies(1200, character.repeat(500));
    const annotations = written(known);
    expect(sizeOf(annotations)).toBeLessThan(STORED_BYTES);
    const read = readEmergencies({ metadata: { annotations } });
    expect(read.length).toBeGreaterThan(50);
    expect(read).toEqual(known.slice(-read.length));
  });

  it("keeps the last one, whatever its size: the API server refuses it, and nothing begins unrecorded", () => {
    const [large] = emergencies(1, "x".repeat(STORED_BYTES));
    const known = [...emergencies(2), ...(large === undefined ? [] : [large])];
    expect(readEmergencies({ metadata: { annotations: written(known) } })).toEqual([large]);
    expect(readEmergencies({ metadata: { annotations: written([]) } })).toEqual([]);
  });
});
