import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { policyFile } from "../../support/load-policy.ts";

const folder = mkdtempSync(join(tmpdir(), "landfall-start-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the modules that the process loads into a file, one a line. */
const COUNTER = `
import { registerHooks } from "node:module";
import { writeFileSync } from "node:fs";
const loaded = new Set();
registerHooks({ load: (url, context, next) => { loaded.add(url); return next(url, context); } });
process.on("exit", () => writeFileSync(process.env.LOADED, [...loaded].join("\\n")));
`;

let bundle = "";
beforeAll(async () => {
  bundle = await policyFile();
  writeFileSync(join(folder, "counter.mjs"), COUNTER);
});

/** The modules of the project and its packages that a command loads. */
function loadedBy(...args: string[]): string[] {
  const file = join(folder, "loaded");
  const { stderr } = spawnSync(
    process.execPath,
    ["--import", join(folder, "counter.mjs"), "bin/landfall.js", ...args],
    { encoding: "utf8", env: { ...process.env, LOADED: file } },
  );
  expect(stderr).toBe("");
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((url) => url.startsWith("file:"));
}

describe("landfall explain", () => {
  it("loads few modules: each costs time at every start", () => {
    const loaded = loadedBy("explain", "-f", "examples/08-when-it-is-green.yaml", "--bundle", bundle);
    const packages = /node_modules\/(?:fastify|undici|pino|prom-client|@kubernetes|@sigstore|execa|jose|echarts)\//;
    // The checks that were written in advance use only ajv's functions for lengths of texts.
    const unwanted = [
      packages,
      /node_modules\/ajv\/dist\/(?!runtime\/)/,
      /\/src\/(?:local|cluster|composition|simulate|elemento)\//,
    ];
    expect(loaded.filter((url) => unwanted.some((one) => one.test(url)))).toEqual([]);
    expect(loaded.filter((url) => url.includes("/src/")).length).toBeLessThanOrEqual(255);
    expect(loaded.length).toBeLessThanOrEqual(370);
  });

  it("reads no command but its own", () => {
    const loaded = loadedBy("--version");
    expect(
      loaded.filter((url) => url.includes("/src/cli/commands/")).map((url) => url.slice(url.lastIndexOf("/"))),
    ).toEqual(["/commands.ts"]);
    expect(loaded.length).toBeLessThanOrEqual(36);
  });
});
