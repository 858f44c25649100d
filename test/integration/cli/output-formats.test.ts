import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Cli } from "../../../src/cli/cli.ts";
import { policyFile } from "../../support/load-policy.ts";
import { programOf, runCommand } from "../../support/processes/run-command.ts";

let base: string;
let bundle: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-formats-"));
  bundle = await policyFile();
  const web = "apiVersion: composition.krateo.io/v0-2-0\nkind: VmTemplate\nmetadata: {name: web, namespace: demo}\n";
  await writeFile(join(base, "web.yaml"), `${web}spec: {cpu: 2, memory: 4, dataResidency: [EU]}\n`);
});
afterAll(() => rm(base, { recursive: true, force: true, maxRetries: 5 }));

/** Commands that run something, with the words that name them. */
const leaves = (command: Command, path: readonly string[] = []): (readonly [string, Command])[] =>
  command.commands.length === 0
    ? [[path.join(" "), command]]
    : command.commands.flatMap((inner) => leaves(inner, [...path, inner.name()]));

const formatsOf = (command: Command): string | undefined =>
  command.options.find(({ long }) => long === "--output")?.description;

const NOW = ["--now", "2026-11-20T22:00:00Z"];
const FOR_PEOPLE = "table, wide, json or yaml";

describe("-o", () => {
  it("is an option of every command that prints a result, with the same formats", async () => {
    const program = await programOf({ colors: {} } as unknown as Cli);
    const formats = Object.fromEntries(leaves(program).map(([name, command]) => [name, formatsOf(command)]));
    const other = Object.fromEntries(Object.entries(formats).filter(([, text]) => text !== FOR_PEOPLE));
    expect(other).toEqual({
      impact: "table, wide, json, yaml or markdown",
      // They print another tool's manifests, which are YAML.
      "export kops": "yaml or json",
      "export krateo-portal": "yaml or json",
      "import kops": "yaml or json",
      // It prints a script.
      completion: undefined,
      // They print an address, and what was done.
      console: undefined,
      "certificates rotate": undefined,
    });
    expect(Object.keys(formats)).toEqual(expect.arrayContaining(["explain", "doctor", "keys list", "bundle verify"]));
  });

  it.each([
    [["explain", "-f", "-", "-o", "yml"], "yml", "table, wide, json, yaml; write -o yaml"],
    [["get", "-o=JSON"], "=JSON", "table, wide, json, yaml; write -o json"],
    [["doctor", "-o", "xml"], "xml", "table, wide, json, yaml; write one of these"],
    [["keys", "list", "-o", ""], "", "table, wide, json, yaml; write one of these"],
    [["impact", "--bundle", "x", "-o", "md"], "md", "table, wide, json, yaml, markdown; write one of these"],
    [["export", "kops", "-f", "-", "-o", "table"], "table", "yaml, json; write one of these"],
  ])("%j is refused before anything runs, with the formats", async (args, given, rest) => {
    expect(await runCommand(args)).toEqual({
      ...{ code: 2, out: "" },
      err: `landfall: -o "${given}" is not a format of this command: ${rest} [CLI_UNKNOWN_NAME]\n`,
    });
  });

  it("text is the table, as in version 0.1.0", async () => {
    const [text, table] = [
      await runCommand(["catalog", "check", "-o", "text"]),
      await runCommand(["catalog", "check", "-o", "table"]),
    ];
    expect(text.out).toContain("PROVIDER");
    expect(text).toEqual(table);
  });
});

/** Commands without a cluster, and a text that only `-o wide` has. */
const COMMANDS: [string, () => string[], wide: RegExp][] = [
  [
    "explain",
    () => ["explain", "-f", join(base, "web.yaml"), "--bundle", bundle, ...NOW],
    /residency: aws\/af-south-1/,
  ],
  ["places", () => ["places", "--provider", "aws", "--bundle", bundle], /AREAS/],
  ["types", () => ["types", "--provider", "aws", "--cpu", "400", "--bundle", bundle], /FAMILY/],
  ["catalog check", () => ["catalog", "check"], /omitted, because they cannot be true/],
  ["test", () => ["test", "policies/tests/too-far", "--bundle", bundle], /\d ms\n/],
  ["impact", () => ["impact", "--bundle", bundle, "--against", bundle, "--dir", base, ...NOW], /nothing changes/],
  ["bundle diff", () => ["bundle", "diff", bundle, bundle], /^revision /],
  ["scaffold bundle", () => ["scaffold", "bundle", join(base, "new"), "--dry-run"], /pool_test\.rego/],
];

describe.each(COMMANDS)("landfall %s", (_, args, wide) => {
  it("prints one value as JSON and as YAML, and texts for people", async () => {
    const [json, yaml, table, detailed] = await Promise.all(
      ["json", "yaml", "table", "wide"].map((format) => runCommand([...args(), "-o", format])),
    );
    const without = (text: string | undefined): string => (text ?? "").replaceAll(/("?milliseconds"?: )[\d.]+/g, "$11");
    expect(parse(without(yaml?.out))).toEqual(JSON.parse(without(json?.out)));
    expect(detailed?.out).toMatch(wide);
    expect(table?.out.length).toBeGreaterThan(0);
    expect(table?.out).not.toMatch(/^[{[]/);
    expect(new Set([json, yaml, table, detailed].map((one) => one?.code)).size).toBe(1);
  });
});
