import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { checkSettings } from "../../../src/model/check-settings.ts";

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
    ["a word that is not a setting", { quota: {} }, "quota: is not a setting"],
    ["a provider that there is not", { providers: ["azure", "ibm"] }, "providers.1: must be equal to one of"],
    ["a limit that is not a number", { latency: { max: "20", estimates: true } }, "latency.max: must be integer,null"],
    ["an objective without weights", { objective: { default: "green", weights: {} } }, "green has no weights"],
    ["an exemption without an owner", { exemptions: [{ ...exemption, owner: undefined }] }, "exemptions.0.owner"],
    ["an exemption without an end", { exemptions: [{ ...exemption, expires: "soon" }] }, "exemptions.0.expires"],
    ["an exemption from the schema", { exemptable: ["ADM_SCHEMA"] }, "exemptable.0"],
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

  it("are rejected if one is missing, but optional as a whole", () => {
    expect(refusal(undefined)).toBeNull();
    expect(refusal({ ...shipped(), quotas: undefined })).toMatchObject({ code: "POL_SETTINGS" });
  });
});
