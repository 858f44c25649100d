import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { explainValue } from "../../../src/model/wrong-value/explain-value.ts";
import type { SchemaNode } from "../../../src/model/wrong-value/schema-node.ts";
import { checkNewSettings, checkSettings } from "../../../src/model/schemas/check-settings.ts";

type Settings = Record<string, unknown>;
const shipped = (): Settings => parse(readFileSync("policies/bundle/landfall/settings/data.yaml", "utf8")) as Settings;

function refusal(settings: unknown): unknown {
  try {
    checkSettings({ landfall: { settings } }, "test");
  } catch (thrown) {
    return thrown;
  }
  return null;
}

const exemption = {
  ...{ id: "EX-1", owner: "team", reason: "because", expires: "2026-12-31", codes: ["POL_QUOTA"] },
  ...{ namespaces: ["*"], names: ["*"] },
};

/** Every setting below a part of the schema. */
function* settingsIn(node: SchemaNode, path = ""): Generator<{ name: string; node: SchemaNode }> {
  const others = typeof node.additionalProperties === "object" ? { "*": node.additionalProperties } : {};
  const items = node.items === undefined ? {} : { "0": node.items };
  for (const [name, child] of Object.entries({ ...node.properties, ...others, ...items })) {
    yield { name: path + name, node: child };
    yield* settingsIn(child, `${path}${name}/`);
  }
}

describe("the platform's settings", () => {
  it("are accepted as shipped, with quotas and an exemption", () => {
    expect(refusal(shipped())).toBeNull();
    const quotas = {
      default: { objects: 10, vcpus: null, memoryGiB: null, pricePerMonth: 99.5 },
      namespaces: { a: { vcpus: 4 } },
    };
    expect(refusal({ ...shipped(), quotas, exemptions: [exemption] })).toBeNull();
  });

  it.each<[string, Settings, string]>([
    ["a word that is not a setting", { quota: {} }, "quota: {} is not a field; remove it: quotas is set as well"],
    [
      "a provider that there is not",
      { providers: ["azure", "ibm"] },
      'providers[1]: "ibm" is not one of azure, aws, gcp, elemento',
    ],
    [
      "a limit that is not a number",
      { latency: { max: "20", estimates: true } },
      'latency.max: "20" is a text, because of its quotes; write milliseconds as a whole number, or null for no limit: max: 20',
    ],
    ["an objective without weights", { objective: { default: "green", weights: {} } }, "green has no weights"],
    ["an exemption without an owner", { exemptions: [{ ...exemption, owner: undefined }] }, "exemptions[0].owner"],
    ["an exemption without an end", { exemptions: [{ ...exemption, expires: "soon" }] }, "exemptions[0].expires"],
    ["an exemption from the schema", { exemptable: ["ADM_SCHEMA"] }, "exemptable[0]"],
    [
      "an exemption from what may not be waived",
      { exemptions: [{ ...exemption, codes: ["POL_REGION"] }] },
      "not exemptable",
    ],
  ])("are refused for %s, by the setting's name", (_what, changes, text) => {
    const error = refusal({ ...shipped(), ...changes });
    expect(error).toMatchObject({ code: "POL_SETTINGS" });
    expect(String(error)).toContain(text);
  });

  it("report every problem, and what to write", () => {
    const { quotas, ...others } = shipped();
    const message = String(refusal({ ...others, quota: quotas, horizonHours: "24h", providers: ["azrue"] }));
    expect(message).toContain("quota: {default: ");
    expect(message).toContain("is not a field; write quotas: {default: ");
    expect(message).toContain(
      '; also horizonHours: "24h" is not a whole number; write hours as a whole number: horizonHours: 24',
    );
    expect(message).toContain('; also providers[0]: "azrue" is not one of azure, aws, gcp, elemento; write azure');
  });

  describe("of a bundle that is built or pushed", () => {
    const catalog = {
      places: [{ key: "azure/italynorth" }, { key: "azure/westeurope" }],
      residency: { areas: { EU: {}, EEA: {} }, countries: { IT: true, NO: true } },
      families: ["burstable", "compute", "flex", "general", "large-memory", "memory"],
    };
    const refused = (changes: Settings): string => {
      try {
        checkNewSettings({ landfall: { settings: { ...shipped(), ...changes }, catalog } }, "bundle.tar.gz");
      } catch (thrown) {
        return String(thrown);
      }
      return "";
    };

    it("pass if their names are in the catalog", () => {
      expect(refused({ residency: ["EU", "NO"], origin: "azure/italynorth" })).toBe("");
      expect(refused({ origin: null })).toBe("");
    });

    it.each<[string, Settings, string]>([
      [
        "an area by its name",
        { residency: ["Europe"] },
        'residency: "Europe" is not EU, EEA, GDPR or the ISO 3166 code of a country; write EU',
      ],
      [
        "an unknown origin",
        { origin: "azure/italynrth" },
        'origin: "azure/italynrth" is not a place of the catalog (provider/region); write azure/italynorth',
      ],
      [
        "an origin far from any",
        { origin: "moon/base" },
        'origin: "moon/base" is not a place of the catalog (provider/region); correct or remove it',
      ],
      [
        "a misspelt family",
        { families: ["generall"] },
        'families: "generall" is not a family of catalog/families.json: burstable, compute, flex, general, large-memory, memory; write general',
      ],
      [
        "an operating system without its version",
        { os: "ubuntu" },
        'os: "ubuntu" is not an operating system of the schema: ubuntu-24.04, ubuntu-22.04, debian-12; correct or remove it',
      ],
      [
        "a place that is denied",
        { places: { allowed: [], denied: ["azure/westeurop"] } },
        'places.denied: "azure/westeurop" is not a place',
      ],
    ])("are refused for %s, also where a running webhook takes them", (_name, changes, text) => {
      expect(refused(changes)).toContain(text);
      expect(refusal({ ...shipped(), ...changes })).toBeNull();
    });
  });

  it("each say what they take, so that every message can", () => {
    const wrong: unknown[] = ["", " ", "x", true, 1.5, -1, [], {}, [1], { x: 1 }];
    const schema = JSON.parse(readFileSync("schemas/settings.schema.json", "utf8")) as SchemaNode;
    for (const { name, node } of settingsIn(schema)) {
      expect(node.title, name).toBeDefined();
      for (const value of wrong) {
        const { detail, correction } = explainValue(`/${name}`, node, value);
        expect(`${detail}; ${correction}`).not.toMatch(/another value|undefined|, ;|, $|\[object/);
      }
    }
  });

  it("are rejected if one is missing, but optional as a whole", () => {
    expect(refusal(undefined)).toBeNull();
    expect(refusal({ ...shipped(), quotas: undefined })).toMatchObject({ code: "POL_SETTINGS" });
  });
});
