import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { InstanceTypesFile } from "../../../src/bundle/catalog/catalog-files.ts";
import { readCatalog } from "../../../src/bundle/catalog/read-catalog.ts";
import type { Decision } from "../../../src/model/decision.ts";
import { HOUR_MS } from "../../../src/model/time.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { blocksOf, commandsOf } from "../../support/documented-blocks.ts";
import { policyFile } from "../../support/load-policy.ts";
import { type PriceLists, type Prices, startPriceLists } from "../../support/services/price-lists.ts";
import { startRegistry, type TestRegistry } from "../../support/bundles/registry.ts";
import { runProcess } from "../../support/processes/run-process.ts";

const today = new Date().toISOString().slice(0, 10);
let [folder, bundle] = ["", ""];
let registry: TestRegistry;
let lists: PriceLists;
let files: InstanceTypesFile;

/** The catalog's own prices of these regions, times a factor. */
function pricesOf(provider: string, regions: readonly string[], factor: number): Prices {
  const { regions: all, types } = files.providers[provider] ?? { regions: [], types: {} };
  const priced = regions.map((region) => {
    const column = all.indexOf(region);
    const prices = Object.entries(types).flatMap(([name, { prices: own }]) => {
      const usd = own[column] ?? -1;
      return usd > 0 ? [[name, Number((usd * factor).toPrecision(6))] as const] : [];
    });
    return [region, Object.fromEntries(prices)] as const;
  });
  return Object.fromEntries(priced);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-refresh-"));
  files = (await readCatalog("catalog")).instanceTypes;
  registry = await startRegistry(await toolPath("crane"));
  bundle = await policyFile();
  const azure = pricesOf("azure", ["italynorth", "francecentral", "newzealandnorth"], 1.1);
  azure["newzealandnorth"] = Object.fromEntries(Object.entries(azure["newzealandnorth"] ?? {}).slice(0, 5));
  azure["francecentral"] = { ...azure["francecentral"], Standard_D2as_v6: 0.0107 };
  const gcp = { "europe-west4": { "n2 Core": 0.0368, "n2 Ram": 0.0049, "e2 Core": 0.0254, "e2 Ram": 0.0034 } };
  lists = await startPriceLists({ azure, aws: pricesOf("aws", ["us-east-1"], 0.9), gcp, key: "AIza-test" });
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(join(folder, "prices.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(join(folder, "prices.pub"), publicKey.export({ type: "spki", format: "pem" }));
  const vm = {
    apiVersion: "composition.krateo.io/v0-2-0",
    kind: "VmTemplate",
    metadata: { name: "web", namespace: "demo" },
  };
  const spec = { cpu: 2, memory: 8, provider: "azure", schedulingLocation: "italynorth", optimizeFor: "cost" };
  await writeFile(join(folder, "vm.json"), JSON.stringify({ ...vm, spec }));
});
afterAll(async () => {
  await Promise.all([registry.close(), lists.close()]);
  await rm(folder, { recursive: true, force: true });
});

const landfall = (...args: string[]) => runProcess("bin/landfall.js", args);
/** With the addresses of the lists that the arguments do not give. */
function refresh(...args: string[]) {
  const flags = lists.flags.filter((_, index, all) => !args.includes(all[index - (index % 2)] ?? ""));
  return landfall("catalog", "refresh", ...flags, ...args);
}
const at = (name: string): string => join(folder, name);

const explain = async (...bundles: string[]): Promise<Decision> => {
  const named = [bundle, ...bundles].flatMap((ref) => ["--bundle", ref]);
  const { code, out, err } = await landfall("explain", "-f", at("vm.json"), "-o", "json", "--plain-http", ...named);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out) as Decision;
};

describe("landfall catalog refresh", () => {
  it("builds a data image of the providers' prices, signs and pushes it; a decision has the new price and its date", async () => {
    const ref = `${registry.host}/data/prices:latest`;
    const places = ["azure/italynorth", "azure/francecentral", "azure/newzealandnorth", "aws/us-east-1"];
    const { code, out, err } = await refresh(
      ...places.flatMap((place) => ["--place", place]),
      ...["--out", at("prices.tar.gz"), "--push", ref, "--key", at("prices.key"), "--plain-http"],
      ...["--version", "7", "--expires", "30d", "--fresh-hours", "336", "--save", at("catalog")],
    );
    expect(code).toBe(0);
    expect(err).toBe(
      "landfall: azure/newzealandnorth keeps its prices of 2026-06: the list has prices of 5 of the 409 types that are known there [PRICES_FEW]\n" +
        "landfall: PRICES_FEW: compare with the provider's price page; the place keeps its earlier prices\n",
    );
    expect(out).toMatch(/^PROVIDER +PLACES +NEW +KEPT +TYPES LISTED +ADDED +OMITTED +MEDIAN CHANGE\n/);
    expect(out).toMatch(/\nazure +3 +2 +1 +97 % +0 +3 +\+10\.0 %\naws +1 +1 +0 +97 % +0 +\d+ +-10\.0 %\n/);
    expect(out).toContain("\n  azure/francecentral Standard_D2as_v6: 0.0107 USD/h, expected about 0.1");
    expect(out).toContain(
      `\n  types and prices of Azure: types 2026-06, prices 2026-06 (francecentral, italynorth: ${today})\n`,
    );
    expect(out).toContain("\n  prices of AWS: 2025-03 (us-east-1: 2026-11-20)\n");
    expect(out).toMatch(new RegExp(`\n${registry.host}/data/prices@sha256:[0-9a-f]{64}\n$`));

    expect(await landfall("bundle", "verify", ref, "--key", at("prices.pub"), "--plain-http")).toMatchObject({
      code: 0,
    });
    const inspected = await landfall("bundle", "inspect", ref, "--plain-http", "-o", "json");
    expect(JSON.parse(inspected.out)).toMatchObject({ kind: "data", name: "prices", version: 7, freshHours: 336 });

    const [before, after] = [await explain(), await explain(ref)];
    expect(after.placement?.instanceType).toBe(before.placement?.instanceType);
    expect(after.placement?.pricePerHour).toBeCloseTo((before.placement?.pricePerHour ?? 0) * 1.1, 3);
    expect(after.data["types and prices of Azure"]).toBe(
      `types 2026-06, prices 2026-06 (francecentral, italynorth: ${today})`,
    );
    expect(after.data["bundle prices"]).toContain(today);
    expect(Object.keys(after.policy.bundles ?? {})).toEqual(["prices"]);

    const asked = ["--type", "Standard_D2s_v5", "--provider", "azure", "-o", "json", "--plain-http"];
    const listed = await landfall("places", ...asked, "--bundle", bundle, "--bundle", ref);
    expect(JSON.parse(listed.out)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ place: "azure/italynorth", priceDate: today }),
        expect.objectContaining({ place: "azure/swedencentral", priceDate: "2026-06" }),
      ]),
    );
  });

  it("says that an image which it pushes is not signed", async () => {
    const ref = `${registry.host}/data/prices:unsigned`;
    const pushes = ["--out", at("unsigned.tar.gz"), "--push", ref, "--plain-http"];
    const { code, err } = await refresh("--place", "azure/italynorth", ...pushes);
    expect([code, err]).toEqual([0, expect.stringMatching(/^it is not signed: .*--key/m)]);
  });

  it("saves the catalog with its outliers; the next refresh can be compared with it", async () => {
    const check = await landfall("catalog", "check", "--catalog", at("catalog"), "-o", "json");
    const { omitted, outliers } = JSON.parse(check.out) as Record<string, { region: string; type: string }[]>;
    expect(omitted).toContainEqual(expect.objectContaining({ region: "francecentral", type: "Standard_D2as_v6" }));
    expect(omitted).toContainEqual(expect.objectContaining({ region: "newzealandnorth", type: "Standard_F4ams_v6" }));
    const renewed = ["italynorth", "francecentral", "us-east-1"];
    expect(outliers?.filter(({ region }) => renewed.includes(region))).toEqual([]);
    const again = await refresh(
      ...["--place", "azure/italynorth", "--catalog", at("catalog"), "--out", at("again.tar.gz"), "-o", "yaml"],
    );
    expect(again.code).toBe(0);
    expect(parse(again.out)).toMatchObject({ places: [{ place: "azure/italynorth", factor: 1, kept: null }] });
  });

  it("computes Google's prices where a key is given, and asks for it where Google is named", async () => {
    const asked = ["--place", "gcp/europe-west4", "--out", at("gcp.tar.gz")];
    expect(await refresh(...asked)).toMatchObject({
      ...{ code: 2, out: "" },
      err: "landfall: Google's price list needs an API key: LANDFALL_GOOGLE_API_KEY is not set; create a key for the Cloud Billing API and set it as LANDFALL_GOOGLE_API_KEY, or name other providers with --provider [PRICES_KEY]\n",
    });
    // Only two series are sold: fewer than half of the types that are known there.
    const few = await runProcess("bin/landfall.js", ["catalog", "refresh", ...lists.flags, ...asked], {
      LANDFALL_GOOGLE_API_KEY: "AIza-test",
    });
    expect(few.code).toBe(2);
    expect(few.err).toMatch(
      /gcp\/europe-west4 keeps its prices of 2026-07: the list has prices of \d+ of the 165 types/,
    );
    expect(few.err).toContain("nothing is new: 1 of 1 keep their earlier figures");
  });

  it("writes nothing with --strict if a place keeps its prices, and ends with 3", async () => {
    const out = at("strict.tar.gz");
    const { code, err } = await refresh(
      "--place",
      "azure/italynorth",
      "--place",
      "azure/newzealandnorth",
      "--strict",
      "--out",
      out,
    );
    expect(code).toBe(3);
    expect(err).toContain("landfall: nothing is written, because of --strict: 1 of 2 are kept\n");
    await expect(readFile(out)).rejects.toThrow("ENOENT");
  });

  it("makes carbon profiles of a year of measured hours, and keeps those of zones with fewer", async () => {
    const end = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const lastDay = new Date(end - 1).toISOString().slice(0, 10);
    const hours = (count: number) => ({
      start: new Date(end - count * HOUR_MS).toISOString().replace(".000", ""),
      values: Array.from({ length: count }, () => 290),
    });
    await writeFile(at("measured.json"), JSON.stringify({ zones: { "IT-NO": hours(8760), FR: hours(48) } }));
    const settings = { measured: [{ name: "meter", type: "file", path: "measured.json" }] };
    await writeFile(at("forecasts.json"), JSON.stringify(settings));
    const out = at("carbon.tar.gz");
    const asked = ["--forecast-settings", at("forecasts.json"), "--out", out];
    const made = await landfall("catalog", "refresh", "carbon", ...asked);
    expect(made).toMatchObject({ code: 0 });
    expect(made.out).toMatch(/^ZONE +HOURS +G CO2E\/KWH +BEFORE +PROFILE\nIT-NO +8760 +290 +375 +new\n\n/);
    expect(made.err).toContain("landfall: zone FR keeps its earlier profile: 48 measured hours without a gap");
    const decision = await explain(out);
    expect(decision.placement?.carbon).toMatchObject({ zone: "IT-NO" });
    expect(decision.placement?.carbon?.source).toContain(`meter, hourly series of a year, to ${lastDay}`);
    expect(decision.data["carbon profiles"]).toBe(`2022 (IT-NO: ${lastDay})`);
  });

  it.each<[string, string[], string]>([
    [
      "a list that is not there",
      ["--provider", "azure", "--azure-url", "http://127.0.0.1:1/x", "--retries", "0"],
      "PRICES_AWAY",
    ],
    ["a page instead of a list", ["--provider", "aws", "--aws-url", "URL/nothing"], "PRICES_STATUS"],
    ["an unknown provider", ["--provider", "azzure"], "CLI_UNKNOWN_NAME"],
    ["an unknown place", ["--place", "azure/itlaynorth"], "CLI_UNKNOWN_NAME"],
    ["a place without a price list", ["--place", "elemento/ovh-pl-warsaw"], "CLI_UNKNOWN_NAME"],
    ["a place of another provider", ["--provider", "aws", "--place", "azure/italynorth"], "CLI_USAGE"],
    ["a key without a push", ["--key", "prices.key"], "CLI_USAGE"],
    ["forecast settings with prices", ["--forecast-settings", "/nope"], "CLI_USAGE"],
    ["a folder of hours with prices", ["--history", "hours"], "CLI_USAGE"],
    ["a place with carbon", ["carbon", "--place", "azure/italynorth", "--forecast-settings", "f.yaml"], "CLI_USAGE"],
    ["forecast settings that are not there", ["carbon", "--forecast-settings", "/nope"], "FORECAST_SETTINGS"],
    ["a version that is none", ["--version", "seven"], "CLI_USAGE"],
    ["an address that is none", ["--aws-url", "pricing.example.com"], "CLI_USAGE"],
    ["a part that is not fetched", ["latency"], "CLI_USAGE"],
    ["carbon without a source", ["carbon"], "CLI_USAGE"],
    ["a catalog that is not there", ["--catalog", "/nowhere"], "BUNDLE_DATA"],
  ])("ends with 2 for %s", async (_, args, code) => {
    const named = args.map((arg) => arg.replace("URL", lists.url));
    const { code: exit, err, out } = await refresh(...named, "--out", at("bad.tar.gz"));
    expect([exit, out, err]).toEqual([2, "", expect.stringContaining(`[${code}]`)]);
  });

  it.each([
    ["a key to push with", ["--push", "localhost:1/data/prices:latest", "--key", "/nope.key"], "BUNDLE_KEY"],
    ["a key of opa's signature", ["--signing-key", "/nope.key"], "BUNDLE_KEY"],
    ["a reference to push to", ["--push", "no reference"], "BUNDLE_REFERENCE"],
  ])("checks %s before it fetches anything", async (_, args, code) => {
    const before = lists.asked.length;
    const { code: exit, err } = await refresh("--place", "azure/italynorth", ...args, "--out", at("bad.tar.gz"));
    expect([exit, err]).toEqual([2, expect.stringContaining(`[${code}]`)]);
    expect(lists.asked.length).toBe(before);
  });

  it("runs as docs/operations/catalog.md shows it", async () => {
    const commands = (await blocksOf("docs/operations/catalog.md")).flatMap(commandsOf).map(({ command }) => command);
    const own = commands.filter((command) => /^(?:npx )?landfall /.test(command));
    expect(own.length).toBe(5);
    await writeFile(at("vm.yaml"), await readFile(at("vm.json")));
    const year = { start: "2025-01-01T00:00:00Z", values: Array.from({ length: 8760 }, () => 290) };
    await writeFile(at("measured.json"), JSON.stringify({ zones: { "IT-NO": year } }));
    const measured = [{ name: "meter", type: "file", path: "measured.json" }];
    await writeFile(at("forecasts.yaml"), JSON.stringify({ measured }));
    for (const command of own) {
      const words = command.replace(/^(?:npx )?landfall /, "").split(/ +/);
      // The doubles of the price lists stand for those of the providers, which have more places.
      const local = command.includes("refresh --out") ? [...lists.flags, "--place", "azure/italynorth"] : [];
      const { code, err } = await runProcess(resolve("bin/landfall.js"), [...words, ...local], {}, folder);
      expect([command, code, err.replaceAll(/^landfall: zone .*$/gm, "").trim()]).toEqual([command, 0, ""]);
    }
  });
});
