import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadPolicy } from "../../../support/load-policy.ts";
import { answerCase, record, type Recorded, type RecordedCase } from "../../../support/recorded-decisions.ts";

// test/fixtures/decisions/README.md says what this holds and how it is recorded again.
const FOLDER = "test/fixtures/decisions";
const read = (name: string): unknown => JSON.parse(readFileSync(`${FOLDER}/${name}`, "utf8"));
/** `LANDFALL_RECORD=texts` writes the texts again, `LANDFALL_RECORD=all` the decisions as well. */
const recording = process.env["LANDFALL_RECORD"];

const policy = await loadPolicy();
const cases = read("cases.json") as RecordedCase[];
const answers = new Map(cases.map((one) => [one.name, record(answerCase(one, policy))]));

const write = (name: string, part: keyof Recorded): void => {
  const lines = [...answers].map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value[part])}`);
  writeFileSync(`${FOLDER}/${name}`, `{\n${lines.join(",\n")}\n}\n`);
};
if (recording !== undefined) write("texts.json", "texts");
if (recording === "all") write("decisions.json", "decision");

const decisions = read("decisions.json") as Record<string, unknown>;
const texts = read("texts.json") as Record<string, string[]>;

describe("recorded decisions", () => {
  it("covers at least 200 requests, allowed and denied, creations and updates", () => {
    expect(cases.length).toBeGreaterThanOrEqual(200);
    expect(Object.keys(decisions)).toEqual(cases.map(({ name }) => name));
    const outcomes = new Set(
      cases.map(({ name, operation }) => {
        const { allowed } = decisions[name] as { allowed: boolean };
        return `${operation} ${allowed ? "allowed" : "denied"}`;
      }),
    );
    expect([...outcomes].toSorted()).toEqual(["CREATE allowed", "CREATE denied", "UPDATE allowed", "UPDATE denied"]);
  });

  it.each(cases.map(({ name }) => name))("%s: decision and patch are the same bytes", (name) => {
    expect(JSON.stringify(answers.get(name)?.decision)).toBe(JSON.stringify(decisions[name]));
  });

  it.each(cases.map(({ name }) => name))("%s: the texts are the recorded ones", (name) => {
    expect(answers.get(name)?.texts).toEqual(texts[name]);
  });
});
