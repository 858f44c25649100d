import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { problemsOf } from "../../../src/model/schemas/check-settings.ts";

type Settings = Record<string, unknown>;
const shipped = (): Settings => parse(readFileSync("policies/bundle/landfall/settings/data.yaml", "utf8")) as Settings;

const exemption = {
  ...{ id: 17, owner: "team", reason: "because", expires: "2026-12-31", codes: ["POL_QOUTA"] },
  ...{ namespaces: ["*"], names: ["*"] },
};

const problems = (changes: Settings): string[] =>
  problemsOf({ ...shipped(), ...changes }).map(({ field, detail }) => `${field}: ${detail}`);

describe("names that refer to other settings", () => {
  it("are reported with what the schema refuses: the code of an exemption", () => {
    expect(problems({ exemptions: [exemption] })).toEqual([
      'exemptions[0].id: 17 is a number; write id: "17"',
      'exemptions[0].codes[0]: "POL_QOUTA" is not a rule that an exemption can waive; write POL_QUOTA',
    ]);
  });

  it("are reported with what the schema refuses: an objective without weights", () => {
    const objective = { ...(shipped()["objective"] as Settings), default: "green" };
    expect(problems({ horizonHours: "7d", objective })).toEqual([
      'horizonHours: "7d" is not a whole number; write hours as a whole number: horizonHours: 168',
      'objective.default: "green" has no weights; write default: carbon, or add them, e.g. weights: {green: {carbon: 1, price: 0, latency: 0}}',
    ]);
  });
});

describe("a field of a map that limits nothing", () => {
  it("is advised to be removed", () => {
    expect(problems({ runs: { whenDone: "keep", gracePeriod: "15m" } })).toEqual([
      'runs.gracePeriod: "15m" is not a field; remove it; the fields here are whenDone, controller',
    ]);
  });
});
