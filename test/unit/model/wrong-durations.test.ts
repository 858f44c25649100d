import { describe, expect, it } from "vitest";
import schema from "../../../schemas/vm-template.schema.json" with { type: "json" };
import { readDuration } from "../../../src/model/wrong-value/texts/read-time.ts";
import { readInteger } from "../../../src/model/wrong-value/read/read-number.ts";

describe("a duration that is none", () => {
  it.each([
    ["P1M", "write <field>: 30d, or <field>: 1m for minutes"],
    ["p2m", "write <field>: 60d, or <field>: 2m for minutes"],
    ["P1Y", "write <field>: 365d"],
    ["1y", "write <field>: 365d"],
    ["3mo", "write <field>: 90d"],
    ["6M", "write <field>: 180d, or <field>: 6m for minutes"],
    ["1 month", "write <field>: 30d"],
    ["3 years", "write hours or days"],
    ["a month", "write hours or days"],
  ])("%s may be months, which have no fixed length", (text, advice) => {
    expect(readDuration(text)).toEqual({ problem: "has no fixed length", advice });
  });

  it.each([
    ["90 min", "1h30m"],
    ["1m", "1m"],
  ])("%s is %s", (text, value) => {
    expect(readDuration(text)?.value).toBe(value);
  });
});

describe("a comma in a number", () => {
  const memory = schema.properties.memory;
  it.each<[string, number | undefined]>([
    ["16,384", 16_384],
    ["1,5", 2],
    ["80,4431", undefined],
    ["80,443,22", undefined],
  ])("of %s makes it %s", (text, value) => {
    expect(readInteger(memory as never, text)?.value).toBe(value);
  });
});

describe("names that people give to fields", () => {
  it("a limit is none of the work's length, and a map of fields none of them", () => {
    const { duration, maxLifetime, schedulingTime } = schema.properties;
    expect(maxLifetime["x-aliases"]).toEqual(expect.arrayContaining(["timeout", "ttl"]));
    expect(duration["x-aliases"]).not.toContain("ttl");
    expect(schedulingTime["x-aliases"]).not.toContain("schedule");
    expect(schema["x-elsewhere"].schedule).toContain("directly below spec");
    expect(schema["x-elsewhere"].requirements).toContain("directly below spec");
  });
});
