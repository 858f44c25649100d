import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { policyFile } from "../../support/load-policy.ts";

const bin = fileURLToPath(new URL("../../../bin/landfall.js", import.meta.url));
const NOW = "2026-11-20T22:00:00Z";
let bundle = "";
beforeAll(async () => {
  bundle = await policyFile();
});

function landfall(args: readonly string[], input = ""): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    input,
    encoding: "utf8",
    // Colours are for terminals alone; what guesses them from the environment would guess them here.
    env: { ...process.env, CI: "true" },
  });
  return { code: status, out: stdout, err: stderr };
}

const explain = (input: string, ...args: string[]) =>
  landfall(["explain", "-f", "-", "--bundle", bundle, "--now", NOW, ...args], input);

const vm = (spec: string, name = "web"): string =>
  `apiVersion: composition.krateo.io/v0-1-0\nkind: VmTemplate\nmetadata: {name: ${name}, namespace: demo}\nspec: ${spec}\n`;

/** Germany's coming two days, best from 05:00 on the second. */
function forecastFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), "landfall-cli-")), "forecast.json");
  const values = Array.from({ length: 48 }, (_, hour) => (hour === 31 ? 10 : 300));
  writeFileSync(file, JSON.stringify({ zones: { DE: { start: NOW, values } } }));
  return file;
}

describe("landfall explain", () => {
  it("prints a table, without colours outside of a terminal, and exits with 0", () => {
    const { code, out } = explain(vm("{cpu: 2, memory: 4, provider: azure}"));
    expect(code).toBe(0);
    expect(out).toMatch(/^VmTemplate demo\/web {2}ALLOWED {2}decision [0-9a-f]{6}\n {2}place {4}azure\//);
    expect(out).not.toContain("\u001b");
  });

  it("answers for the other objects where the metadata of one is wrong, and exits with 2", () => {
    const wrong = vm("{cpu: 2, memory: 4}", "Not_A_Name");
    const { code, out, err } = explain(`${wrong}---\n${vm("{cpu: 2, memroy: 4}", "b")}`);
    expect(code).toBe(2);
    expect(out).toContain("write memory: 4");
    expect(err).toContain('document 1: metadata.name "Not_A_Name" is not a name');
  });

  it("prints one decision for one object and an array for several, always the same bytes", () => {
    const one = explain(vm("{cpu: 2, memory: 4}"), "-o", "json");
    expect(JSON.parse(one.out)).toMatchObject({ allowed: true, object: { name: "web" } });
    expect(explain(vm("{cpu: 2, memory: 4}"), "-o", "json").out).toBe(one.out);
    const both = explain(`${vm("{cpu: 2, memory: 4}")}---\n${vm("{cpu: 1, memory: 1}", "b")}`, "-o", "json");
    expect(JSON.parse(both.out)).toMatchObject([{ object: { name: "web" } }, { object: { name: "b" } }]);
  });

  it("reads several files after one -f, as a shell expands a pattern", () => {
    const folder = mkdtempSync(join(tmpdir(), "landfall-cli-"));
    const files = ["a", "b"].map((name) => join(folder, `${name}.yaml`));
    for (const file of files) writeFileSync(file, vm("{cpu: 2, memory: 4}", file.at(-6)));
    const { out } = landfall(["explain", "-f", ...files, "--bundle", bundle, "--now", NOW, "-o", "json"]);
    expect(JSON.parse(out)).toMatchObject([{ object: { name: "a" } }, { object: { name: "b" } }]);
    expect(landfall(["explain", "a.yaml"]).err).toContain("to read a.yaml, write -f a.yaml");
  });

  it("exits with 3 for a denial and names the code", () => {
    const { code, out } = explain(vm("{cpu: 2, memory: 1000000}"));
    expect(code).toBe(3);
    expect(out).toContain("PLACEMENT_NONE");
  });

  it("reads the settings of a Namespace in the same file", () => {
    const namespace =
      'apiVersion: v1\nkind: Namespace\nmetadata: {name: demo, annotations: {landfall.dev/providers: "gcp"}}\n';
    const { out } = explain(`${namespace}---\n${vm("{cpu: 2, memory: 4}")}`, "-o", "json");
    expect(JSON.parse(out)).toMatchObject({ placement: { provider: "gcp" } });
  });

  it("uses the forecast of --forecast, and rejects a file without one", () => {
    const asked = vm(
      "{cpu: 2, memory: 4, duration: 1h, deadline: '2026-11-22T20:00:00Z', schedulingLocation: europe-west3}",
    );
    const { code, out } = explain(asked, "--forecast", forecastFile());
    expect(code).toBe(0);
    expect(out).toMatch(/\n {2}start {4}2026-11-22T05:00:00Z/);
    expect(out).toMatch(/\n {11}DE: forecast forecast\.json of 2026-11-20T22:00:00Z\n/);
    const wrong = explain(asked, "--forecast", bin);
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(wrong.err).toContain("FORECAST_FILE");
  });

  it("reports in the decision that a source of --forecast-settings is unavailable", () => {
    const file = forecastFile().replace(/json$/, "yaml");
    writeFileSync(
      file,
      "sources: [{name: lost, type: file, path: lost.csv}, {name: mine, type: file, path: forecast.json}]",
    );
    const { code, out, err } = explain(
      vm("{cpu: 2, memory: 4, schedulingLocation: europe-west3}"),
      "--forecast-settings",
      file,
    );
    expect(code).toBe(0);
    expect(err).toContain("FORECAST_FILE");
    expect(out).toMatch(/lost\.csv.*; mine was used instead \[FORECAST_FILE\]/);
  });

  it("takes the origin from --origin", () => {
    const { out } = explain(
      vm("{cpu: 2, memory: 4, provider: gcp, maxLatency: 5}"),
      "-o",
      "json",
      "--origin",
      "gcp/us-central1",
    );
    expect(JSON.parse(out)).toMatchObject({ placement: { region: "us-central1", latencySource: "local" } });
  });

  it.each([
    ["a file that is not there", ["explain", "-f", "/nonexistent.yaml"], "", "CLI_INPUT"],
    ["no file at all", ["explain"], "", "--file"],
    ["broken YAML", ["explain", "-f", "-"], "a: [", "CLI_YAML"],
    ["an empty file", ["explain", "-f", "-"], "", "CLI_INPUT"],
    ["another kind", ["explain", "-f", "-"], "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", "CLI_INPUT"],
    ["a list of numbers", ["explain", "-f", "-"], "[1, 2]", "CLI_INPUT"],
    ["an unknown format", ["explain", "-f", "-", "-o", "xml"], "", "CLI_UNKNOWN_NAME"],
    ["a time that is none", ["explain", "-f", "-", "--now", "noon"], vm("{cpu: 1, memory: 1}"), "CLI_USAGE"],
    ["a bundle that is none", ["explain", "-f", "-", "--bundle", bin], vm("{cpu: 1, memory: 1}"), "BUNDLE_UNREADABLE"],
    ["an unknown command", ["explode"], "", "explode"],
  ])("ends with 2 for %s", (_name, args, input, text) => {
    const { code, err } = landfall(args, input);
    expect(err).toContain(text);
    expect(code).toBe(2);
  });
});

describe("landfall plan", () => {
  const plan = (input: string, ...args: string[]) =>
    landfall(["plan", "-f", "-", "--bundle", bundle, "--now", NOW, ...args], input);

  it("prints YAML that kubectl can read, the decision as comments", () => {
    const { code, out } = plan(vm("{cpu: 2, memory: 4, provider: azure}"));
    expect(code).toBe(0);
    expect(out).toMatch(/^# VmTemplate demo\/web/);
    const kinds = out.split("\n---\n").map((text) => (parse(text) as { kind?: string } | null)?.kind);
    expect(kinds).toContain("VirtualMachine");
  });

  it("exits with 3 for a denial and prints no manifest", () => {
    const { code, out } = plan(vm("{cpu: 2, memory: 1000000}"), "-o", "yaml");
    expect(code).toBe(3);
    expect(out.split("\n").every((line) => line === "" || line.startsWith("#"))).toBe(true);
  });
});
