import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { explainValue, wantedFirst } from "../../../src/model/wrong-value/explain-value.ts";
import { accepts, type SchemaNode } from "../../../src/model/wrong-value/schema-node.ts";
import { checkNewSettings } from "../../../src/model/schemas/check-new-settings.ts";
import { checkSettings } from "../../../src/model/schemas/check-settings.ts";

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
    ["a country by its name", { residency: "Italy" }, 'residency: "Italy" is not a list; write residency: [IT]'],
    [
      "a region in a list of another name",
      { places: { deny: ["eu-north-1"] } },
      "places.deny: [eu-north-1] is not a field; write denied: [aws/eu-north-1]",
    ],
    ["a limit of latency by its field", { maxLatency: 60 }, "write latency: {max: 60, estimates: true}"],
    ["a limit of latency as a number", { latency: 60 }, "write latency: {max: 60, estimates: true}"],
    [
      "a number as the name of an exemption",
      { exemptions: [{ ...exemption, id: 17 }] },
      'exemptions[0].id: 17 is a number; write id: "17"',
    ],
    [
      "a rule that no exemption can waive",
      { exemptable: ["ADM_SCHEMA"] },
      'exemptable[0]: "ADM_SCHEMA" is a rule that no exemption can waive; remove it, or write one of POL_LATENCY, ',
    ],
    ["a word that is not a setting", { quota: {} }, "quota: {} is not a field; write quotas"],
    [
      "limits by other names",
      { quotas: { default: {}, namespaces: { research: { cpu: 8, memory: "64Gi" } } } },
      'quotas.namespaces.research.cpu: 8 is not a field; write vcpus: 8; also quotas.namespaces.research.memory: "64Gi" is not a field; write memoryGiB: 64',
    ],
    [
      "limits of a namespace beside its map",
      { quotas: { default: {}, namespaces: {}, research: { vcpus: 8 } } },
      "quotas.research: {vcpus: 8} is not a field; if research is one of namespaces, write it below namespaces",
    ],
    [
      "places by another name, whatever is set besides",
      { places: { allowed: [], denied: [], allow: ["aws/eu-north-1"] } },
      "places.allow: [aws/eu-north-1] is not a field; write allowed: [aws/eu-north-1]",
    ],
    [
      "a field of another name in an exemption",
      { exemptions: [{ ...exemption, expires: undefined, until: "2027-01-01" }] },
      'exemptions[0].until: "2027-01-01" is not a field; write expires: "2027-01-01"',
    ],
    [
      "a share in percent",
      { objective: { default: "x", weights: { x: { carbon: "50%", price: 1, latency: 0 } } } },
      'objective.weights.x.carbon: "50%" is not a number; write a number from 0: carbon: 0.5',
    ],
    ["all namespaces as a word", { retention: { namespaces: "all" } }, 'is not a list; write namespaces: ["*"]'],
    ["a level too many", { settings: {} }, "move what is below it to the left margin"],
    ["a limit that does not exist", { most: 1 }, "most: 1 is not a field; write another name, or it limits nothing"],
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
    [
      "weights without the name of their objective",
      { objective: { default: "carbon", weights: { latency: 0.5 } } },
      "objective.weights: has latency without the name that it is for; write weights: {carbon: {latency: 0.5, carbon: 0, price: 0}}, with your own name",
    ],
    [
      "weights beside those of an objective",
      {
        objective: { default: "carbon", weights: { carbon: { carbon: 1, price: 0, latency: 0 }, co2: 0.5, price: 1 } },
      },
      "objective.weights: has carbon, price without the name that it is for; write main: {carbon: 0.5, price: 1, latency: 0}, with your own name",
    ],
    [
      "a quota without its namespace",
      { quotas: { namespaces: { objects: 10 } } },
      "quotas.namespaces: has objects without the name that it is for; write namespaces: {demo: {objects: 10}}, with your own name",
    ],
    [
      "a provider that Elemento does not resell",
      { elemento: { contracted: ["Hetzner", "OVH"] } },
      'elemento.contracted[0]: "Hetzner" is not a zone of Elemento; write the name of a zone of Elemento, such as ovh, ionos, gigas or arubacloud, e.g. ovh',
    ],
    ["fields of spec by another name", { write: ["region"] }, "write schedulingLocation"],
    [
      "an objective without weights",
      { objective: { default: "green", weights: { carbon: { carbon: 1, price: 0, latency: 0 } } } },
      'objective.default: "green" has no weights; write default: carbon, or add them, e.g. weights: {green: {carbon: 1, price: 0, latency: 0}}',
    ],
    [
      "a provider by another name",
      { providers: ["amazon", "google"] },
      'providers[0]: "amazon" is not one of azure, aws, gcp, elemento; write aws; also providers[1]: "google"',
    ],
    ["an exemption without an owner", { exemptions: [{ ...exemption, owner: undefined }] }, "exemptions[0].owner"],
    ["an exemption without an end", { exemptions: [{ ...exemption, expires: "soon" }] }, "exemptions[0].expires"],
    [
      "an end in the order of another country",
      { exemptions: [{ ...exemption, expires: "31.12.2026" }] },
      'exemptions[0].expires: "31.12.2026" is not a day as year-month-day, nor a time in UTC; write a day, or a time in UTC, e.g. expires: "2026-12-31"',
    ],
    [
      "an end in the American order",
      { exemptions: [{ ...exemption, expires: "12/31/2026" }] },
      'e.g. expires: "2026-12-31"',
    ],
    [
      "an end with a space",
      { exemptions: [{ ...exemption, expires: "2026-12-31 18:00" }] },
      'e.g. expires: "2026-12-31"',
    ],
    [
      "all families by a word",
      { families: "all" },
      "write families: [general, compute, memory, large-memory, burstable, flex]",
    ],
    ["all providers by a word", { providers: "any" }, "write providers: [azure, aws, gcp, elemento]"],
    ["no residency by a word", { residency: "none" }, "write residency: [] for anywhere"],
    ["no denied place by a word", { places: { denied: "none" } }, "write denied: []"],
    ["no retention by a word", { retention: { namespaces: "none" } }, "write namespaces: []"],
    ["all names by a word", { exemptions: [{ ...exemption, names: "all" }] }, 'write names: ["*"]'],
    [
      "a share as text with a percent sign",
      { schedule: { ...(shipped()["schedule"] as object), tolerance: "1%" } },
      "write a share from 0 to 1: tolerance: 0.01",
    ],
    [
      "a share in percent",
      { schedule: { ...(shipped()["schedule"] as object), tolerance: 5 } },
      "schedule.tolerance: 5 is percent, and not a share; write a share from 0 to 1, e.g. tolerance: 0.05",
    ],
    [
      "no limit by a word",
      {
        quotas: {
          default: { objects: "unlimited", vcpus: null, memoryGiB: null, pricePerMonth: null },
          namespaces: {},
        },
      },
      'quotas.default.objects: "unlimited" is not a whole number; write objects: null',
    ],
    [
      "a limit by the name of an object's field",
      { quotas: { ...(shipped()["quotas"] as object), namespaces: { a: { cpu: 64, memory: "64Gi" } } } },
      'quotas.namespaces.a.cpu: 64 is not a field; write vcpus: 64; also quotas.namespaces.a.memory: "64Gi" is not a field; write memoryGiB: 64',
    ],
    [
      "an age in days",
      { dataImages: { replaceable: [], stale: { hours: "2d", action: "warn" }, byName: {} } },
      'dataImages.stale.hours: "2d" is not a number; write hours, or null: hours: 48',
    ],
    ["an exemption from the schema", { exemptable: ["ADM_SCHEMA"] }, "exemptable[0]"],
    [
      "an exemption from what may not be waived",
      { exemptions: [{ ...exemption, codes: ["POL_QUOTA", "POL_REGION"] }] },
      'exemptions[0].codes[1]: "POL_REGION" is not in exemptable; add it there, or remove it here',
    ],
    [
      "an exemption from a misspelt rule",
      { exemptions: [{ ...exemption, codes: ["POL_QOUTA"] }] },
      'exemptions[0].codes[0]: "POL_QOUTA" is not a rule that an exemption can waive; write POL_QUOTA',
    ],
    [
      "an exemption from a rule of the object",
      { exemptions: [{ ...exemption, codes: ["ADM_SCHEMA"] }] },
      "write one of POL_LATENCY, POL_NAMING, ",
    ],
    [
      "a data image of settings",
      { dataImages: { replaceable: ["landfall/settings"], stale: { hours: null, action: "warn" }, byName: {} } },
      'dataImages.replaceable: "landfall/settings" is a root that no data image can replace; remove it',
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
      places: [
        { key: "azure/italynorth", country: "IT" },
        { key: "azure/westeurope", country: "NL" },
        { key: "azure/norwayeast", country: "NO" },
        { key: "elemento/ovh-fr-paris", country: "FR" },
        { key: "elemento/ionos-de-fra", country: "DE" },
      ],
      residency: {
        areas: {
          EU: { IT: true, NL: true, FR: true, DE: true },
          EEA: { IT: true, NL: true, FR: true, DE: true, NO: true },
        },
        countries: { IT: true, NO: true, CH: true },
      },
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

    it("are told together with what the schema refuses, each setting once", () => {
      const text = refused({ maxLatency: 60, residency: ["Europe", "UK"], origin: "italynorth", families: "gpus" });
      expect(text).toContain("maxLatency: 60 is not a field");
      expect(text).toContain('residency[0]: "Europe" is not');
      expect(text).toContain('residency[1]: "UK" is not EU, EEA, GDPR or the ISO 3166 code of a country; write GB');
      expect(text).toContain(
        'origin: "italynorth" is not a place of the catalog (provider/region); write azure/italynorth',
      );
      expect(text.match(/families: /g)).toHaveLength(2);
    });

    it("pass if their names are in the catalog", () => {
      expect(refused({ residency: ["EU", "NO"], origin: "azure/italynorth" })).toBe("");
      expect(refused({ origin: null })).toBe("");
    });

    it.each<[string, Settings, string]>([
      [
        "an area by its name",
        { residency: ["Europe"] },
        'residency[0]: "Europe" is not EU, EEA, GDPR or the ISO 3166 code of a country; write EU',
      ],
      [
        "an unknown origin",
        { origin: "azure/italynrth" },
        'origin: "azure/italynrth" is not a place of the catalog (provider/region); write azure/italynorth',
      ],
      [
        "an origin far from any",
        { origin: "moon/base" },
        'origin: "moon/base" is not a place of the catalog (provider/region); write one that `landfall places` lists, or remove it',
      ],
      [
        "an origin without its provider",
        { origin: "italynorth" },
        'origin: "italynorth" is not a place of the catalog (provider/region); write azure/italynorth',
      ],
      [
        "a whole provider as a place",
        { places: { denied: ["azure/*"] } },
        'places.denied[0]: "azure/*" is a provider and not a place; write each of its places, or remove azure from providers',
      ],
      [
        "places by a pattern",
        { places: { denied: ["azure/*e*e"] } },
        'places.denied[0]: "azure/*e*e" is not a place of the catalog (provider/region); a list takes no *: write each place, azure/westeurope',
      ],
      [
        "a pattern that no place has",
        { places: { denied: ["aws/us-*"] } },
        "no place has such a name, and a list takes no *: write places that `landfall places` lists, or remove it",
      ],
      ["a series of types", { families: ["m5"] }, "large-memory, memory; write general"],
      ["a series of Azure", { families: ["Standard_E"] }, "large-memory, memory; write memory"],
      ["types with GPUs", { families: ["general", "GPU"] }, "remove it: types with GPUs come with the pools that ask"],
      ["an origin by its city", { origin: "azure/milan" }, "write azure/italynorth"],
      ["an origin by its city alone", { origin: "Milano" }, "write azure/italynorth"],
      [
        "a zone of Elemento that there is not",
        { elemento: { contracted: ["ohv"] } },
        'elemento.contracted[0]: "ohv" is not a zone of Elemento: ovh, ionos; write ovh',
      ],
      [
        "a misspelt family",
        { families: ["generall"] },
        'families[0]: "generall" is not a family of catalog/families.json: burstable, compute, flex, general, large-memory, memory; write general',
      ],
      [
        "an operating system without its version",
        { os: "ubuntu" },
        'os: "ubuntu" is not an operating system of the schema: ubuntu-24.04, ubuntu-22.04, debian-12; write ubuntu-24.04',
      ],
      [
        "a place that is denied",
        { places: { allowed: [], denied: ["azure/westeurop"] } },
        'places.denied[0]: "azure/westeurop" is not a place',
      ],
      [
        "no provider",
        { providers: [] },
        "providers: [] leaves no place, so that every object would be denied; write providers: [azure, elemento] for all",
      ],
      [
        "a residency outside of the allowed places",
        { places: { allowed: ["azure/norwayeast"], denied: [] }, residency: ["EU"] },
        "residency: [EU] leaves no place, so that every object would be denied; change it, or places.allowed",
      ],
      [
        "allowed places of providers that are not",
        { providers: ["azure"], places: { allowed: ["elemento/ovh-fr-paris"], denied: [] } },
        "places.allowed: [elemento/ovh-fr-paris] leaves no place, so that every object would be denied; change it, or providers",
      ],
      [
        "a denial of the only allowed place",
        { places: { allowed: ["azure/italynorth"], denied: ["azure/italynorth"] } },
        "places.denied: [azure/italynorth] leaves no place",
      ],
      [
        "a country without a place",
        { residency: ["CH"] },
        "residency: [CH] leaves no place, so that every object would be denied; change it",
      ],
    ])("are refused for %s, also where a running webhook takes them", (_name, changes, text) => {
      expect(refused(changes)).toContain(text);
      expect(refusal({ ...shipped(), ...changes })).toBeNull();
    });

    it("pass if a place remains after all of them", () => {
      const places = { allowed: ["azure/italynorth", "azure/norwayeast"], denied: ["azure/norwayeast"] };
      expect(refused({ places, providers: ["azure"], residency: ["NO", "EU"] })).toBe("");
    });
  });

  describe("of a new bundle that would switch a rule off in silence", () => {
    const naming = (changes: Settings): Settings => ({
      naming: { name: null, vmName: null, uniqueVmName: "namespace", ...changes },
    });
    const quotas = (namespace: string): Settings => ({
      quotas: { ...(shipped()["quotas"] as object), namespaces: { [namespace]: { vcpus: 4 } } },
    });
    const network = (prefix: string): Settings => ({ networks: { allowed: { demo: [prefix] } } });
    const refused = (changes: Settings): string => {
      try {
        checkNewSettings({ landfall: { settings: { ...shipped(), ...changes } } }, "data.yaml");
      } catch (thrown) {
        return String(thrown);
      }
      return "";
    };

    it.each<[string, Settings, string]>([
      [
        "a pattern of names that is none",
        naming({ name: "([" }),
        'naming.name: "([" is not a regular expression (RE2): missing closing ]: [; correct it, e.g. name: "^[a-z]+-[a-z]+$", or name: null for any name',
      ],
      [
        "a pattern with a lookahead",
        naming({ vmName: "^(?!test).*$" }),
        'naming.vmName: "^(?!test).*$" is not a regular expression (RE2): RE2 has no (?!…), (?=…) and (?<…), so write what a name must be; ',
      ],
      ["a wildcard", naming({ name: "*-prod" }), 'write name: "^.*-prod$", or name: null for any name'],
      ["an empty pattern", naming({ name: "" }), 'naming.name: "" is empty, so that every name matches'],
      [
        "an end that is no day",
        { exemptions: [{ ...exemption, expires: "2027-13-45" }] },
        'exemptions[0].expires: "2027-13-45" is not a day of the calendar, so that the exemption would not end; write one, e.g. 2027-01-31',
      ],
      [
        "an exemption of names that there cannot be",
        { exemptions: [{ ...exemption, names: ["web-*", "Web_1"] }] },
        'exemptions[0].names[1]: "Web_1" matches no name',
      ],
      [
        "a quota of several namespaces",
        quotas("team-*"),
        'quotas.namespaces: "team-*" is not the name of a namespace, and no wildcard is read here; write each namespace, or quotas.default for all',
      ],
      [
        "a quota of a namespace in capitals",
        quotas("Team_A"),
        'quotas.namespaces: "Team_A" is not the name of a namespace; write team-a',
      ],
      [
        "retention in several namespaces",
        { retention: { namespaces: ["*", "team-*"] } },
        'retention.namespaces[1]: "team-*" is not the name of a namespace, and no wildcard is read here; write each namespace, or "*" for all',
      ],
      [
        "networks of everybody",
        network("/"),
        'networks.allowed.demo[0]: "/" names no project and no subscription; write one, e.g. projects/shared',
      ],
      ["networks of all projects", network("projects"), "names no project and no subscription"],
      ["networks of all subscriptions", network("/subscriptions/"), "names no project and no subscription"],
      [
        "an objective without a weight",
        { objective: { default: "none", weights: { none: { carbon: 0, price: 0, latency: 0 } } } },
        "objective.weights.none: has only zeros, so that it prefers no place; write a number above 0 for one of them",
      ],
    ])("are refused for %s, and not where a running webhook takes them", (_name, changes, text) => {
      expect(refused(changes)).toContain(text);
      expect(refusal({ ...shipped(), ...changes })).toBeNull();
    });

    it.each<[string, Settings]>([
      ["patterns of RE2", naming({ name: "^(?i)team-[[:alpha:]]+$", vmName: String.raw`^\pL{1,9}\z` })],
      ["networks of a project by its URL", network("https://www.googleapis.com/compute/v1/projects/shared/global")],
      ["networks of a subscription", network("/subscriptions/0/resourceGroups/shared")],
      [
        "exemptions with wildcards",
        { exemptions: [{ ...exemption, namespaces: ["team-{a,b}", "*"], names: ["[a-z]*"] }] },
      ],
      ["an end with a time", { exemptions: [{ ...exemption, expires: "2028-02-29T12:00:00Z" }] }],
      ["a quota of a namespace", quotas("team-a")],
    ])("pass with %s", (_name, changes) => {
      expect(refused(changes)).toBe("");
    });
  });

  it("advise what changes nothing for one that is missing", () => {
    const schema = JSON.parse(readFileSync("schemas/settings.schema.json", "utf8")) as SchemaNode;
    const unset = [...settingsIn(schema)].filter(({ node }) => "x-unset" in node);
    expect(unset.length).toBeGreaterThan(20);
    for (const { name, node } of unset) {
      const [field = ""] = name.split("/").slice(-1);
      const text = wantedFirst(`/${name}`, node);
      expect(text).toMatch(new RegExp(`^write ${field}: .+, which changes nothing, or `));
      expect(accepts(node, node["x-unset"]), name).toBe(true);
    }
    const { residency: _residency, ...others } = shipped();
    expect(String(refusal(others))).toContain(
      "residency: is missing; write residency: [], which changes nothing, or a list of",
    );
  });

  it("take lists of places one by one", () => {
    expect(refusal({ ...shipped(), places: { denied: ["azure/italynorth"] } })).toBeNull();
    expect(refusal({ ...shipped(), places: {} })).toBeNull();
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
