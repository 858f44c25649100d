import { readFileSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { policyFile } from "../../support/load-policy.ts";
import { runProcess } from "../../support/processes/run-process.ts";

let bundle = "";
beforeAll(async () => {
  bundle = await policyFile();
});

const landfall = (...args: string[]) => runProcess("bin/landfall.js", args);

it("places lists the places of --area with their round trips, as a table, JSON or YAML", async () => {
  const asked = ["places", "--area", "IT", "--of", "azure/italynorth", "--bundle", bundle];
  const table = await landfall(...asked);
  expect(table).toMatchObject({ code: 0, err: "" });
  expect(table.out).toMatch(
    /^PLACE +COUNTRY +GRID +G CO2E\/KWH +MS +KNOWN AS\nazure\/italynorth +IT +IT-NO +\d+ +1 +local\n/,
  );
  const json: unknown = JSON.parse((await landfall(...asked, "-o", "json")).out);
  expect(json).toContainEqual(expect.objectContaining({ place: "gcp/europe-west8", country: "IT" }));
  expect(parse((await landfall(...asked, "-o", "yaml")).out)).toEqual(json);
});

it("types lists types with enough GPUs, and wide shows their family", async () => {
  const { code, out } = await landfall("types", "--gpu", "8", "--provider", "aws", "-o", "wide", "--bundle", bundle);
  expect(code).toBe(0);
  const [head = "", ...rows] = out.trimEnd().split("\n");
  expect(head).toMatch(/^TYPE +PROVIDER +VCPU +GIB +GPU +ARCH +FAMILY +CLASS +USD\/H +CHEAPEST IN +PRICE OF +PLACES$/);
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row).toMatch(/ aws +\d+ +\d+ +8 +amd64 +gpu /);
});

it("catalog check shows coverage, dates and what was omitted, and ends with 3 for an outlier", async () => {
  const { code, out } = await landfall("catalog", "check", "--omitted");
  expect(code).toBe(0);
  expect(out).toMatch(/^PROVIDER .*\naws +36 +965 +14286 +45 %/);
  expect(out).toContain("\n  types and prices of Azure: 2026-06\n");
  expect(out).toContain("azure/newzealandnorth Standard_F4ams_v6: 0.0449 USD/h, expected about 0.4 (elsewhere)\n");
  expect(out).toMatch(/\d+ published prices are omitted; no other figure is an outlier\n$/);
  const folder = await mkdtemp(join(tmpdir(), "landfall-catalog-"));
  await cp("catalog", folder, { recursive: true });
  const file = join(folder, "instance-types.json");
  const text = await readFile(file, "utf8");
  const line = /"e2-standard-4": .*"prices":\[/;
  expect(text).toMatch(line);
  await writeFile(
    file,
    text.replace(/("e2-standard-4": .*"prices":\[)[^,]*/, (_, head: string) => `${head}0.009`),
  );
  const wrong = await landfall("catalog", "check", "--catalog", folder, "-o", "json");
  const image = ["--data", "prices", "--date", "2026-11-22", "--out", join(folder, "prices.tar.gz")];
  const built = await landfall("bundle", "build", ...image, "--catalog", folder);
  await rm(folder, { recursive: true });
  expect(built.code).toBe(0);
  expect(built.err).toContain(
    "this figure cannot be true: gcp/africa-south1 e2-standard-4: 0.009 USD/h, expected about",
  );
  expect(built.err).toContain(`1 of the figures of ${folder} cannot be true`);
  expect(wrong.code).toBe(3);
  expect(JSON.parse(wrong.out)).toMatchObject({
    outliers: [{ rule: "elsewhere", provider: "gcp", type: "e2-standard-4", price: 0.009 }],
    dates: { "types and prices of GCP": "2026-07" },
  });
});

it("an unknown name ends with 2 and the nearest name; a filter that nothing passes ends with 0 and a note", async () => {
  const unknown = await landfall("places", "--provider", "azzure", "--bundle", bundle);
  expect(unknown).toMatchObject({ code: 2, out: "" });
  expect(unknown.err).toBe(
    'landfall: --provider "azzure" is not a provider of the catalog; write azure [CLI_UNKNOWN_NAME]\n',
  );
  const none = await landfall("types", "--cpu", "99999", "-o", "json", "--bundle", bundle);
  expect(none).toMatchObject({ code: 0, out: "[]\n" });
  expect(none.err).toContain("nothing in the catalog passes");
});

it("--version prints the package's version, and stays an option of `bundle build`", async () => {
  const file = fileURLToPath(new URL("../../../package.json", import.meta.url));
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  expect(await landfall("--version")).toMatchObject({ code: 0, out: `${version}\n` });
  const { code, err } = await landfall("bundle", "build", "--no-test", "--version", "seven");
  expect(code).toBe(2);
  expect(err).toContain("--version seven is not a whole number above 0");
});
