import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  countsLine,
  emptyParts,
  failureLines,
  type PartReport,
  slowestLines,
  slowestTitle,
  sumCounts,
} from "../../counts.ts";
import { afterRepeat, filesToRepeat } from "../../second-attempt.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
let dir = "";

beforeAll(async () => {
  // Inside the project, so that the files of the small suites find vitest.
  await mkdir(join(root, ".landfall"), { recursive: true });
  dir = await mkdtemp(join(root, ".landfall", "harness-"));
  await writeFile(join(dir, "vitest.config.js"), `export default { test: { include: ["**/*.test.js"] } };\n`);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** What the reporter counts of these files, and what it prints. */
async function count(
  files: Record<string, string>,
  ...args: string[]
): Promise<{ counts: PartReport; output: string }> {
  const suite = await mkdtemp(join(dir, "suite-"));
  for (const [name, body] of Object.entries(files)) {
    const imports = `import { describe, beforeAll, expect, it } from "vitest";\n`;
    await writeFile(join(suite, `${name}.test.js`), imports + body);
  }
  const file = join(suite, "counts.json");
  const reporter = join(root, "test/reporter.ts");
  const vitest = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--config", join(dir, "vitest.config.js")];
  const options = { cwd: suite, env: { ...process.env, LANDFALL_TEST_COUNTS: file } };
  const command = [...vitest, "--root", suite, "--reporter", reporter, ...args];
  const run = promisify(execFile)(process.execPath, command, options);
  const { stdout } = await run.catch((failure: unknown) => failure as { stdout: string });
  return { counts: JSON.parse(await readFile(file, "utf8")) as PartReport, output: stdout };
}

describe("the reporter", () => {
  it("counts passed, failed and skipped tests, and failures outside of tests", async () => {
    const { counts, output } = await count({
      "one passes, one fails": `it("a", () => {}); it("b", () => expect(1).toBe(2));`,
      "a hook fails": `describe("s", () => { beforeAll(() => { throw new Error("hook"); }); it("a", () => {}); });`,
      "does not load": `import "./missing.js"; it("a", () => {});`,
      "fails after its tests": `it("a", () => { void Promise.reject(new Error("late")); });`,
      "skipped with a reason": `it("a", (context) => context.skip("no disk"));`,
      "skipped without a reason": `it.skip("lazy", () => {});`,
    });
    expect(output).toContain("a: no disk");
    expect(counts.taken.map(({ name }) => name)).toContain("does not load.test.js");
    // Failed: the test, the hook with its unreached test, the file, the late error, the lazy skip.
    expect(counts).toMatchObject({ passed: 2, failed: 5, skipped: 1 });
    const failures = failureLines(counts.failures).join("\n");
    expect(failures).toMatch(/failed: one passes, one fails\.test\.js > b\n {4}expected 1 to be 2/);
    expect(failures).toMatch(/failed: a hook fails\.test\.js > s > a\n {4}hook/);
    expect(failures).toMatch(/failed: does not load\.test\.js\n {4}.*missing\.js/);
    expect(failures).toMatch(/failed: the test run\n {4}late/);
    expect(failures).toMatch(/failed: .* lazy\n {4}it was skipped without a reason/);
  });

  it("does not count tests that a filter excludes", async () => {
    const { counts } = await count({ two: `it("first", () => {}); it("second", () => {});` }, "-t", "first");
    expect(counts).toMatchObject({ passed: 1, failed: 0, skipped: 0 });
  });
});

describe("a signal", () => {
  it("stops the running part and does not start the next one", async () => {
    const marker = join(dir, "second-ran");
    const wait = 'console.log("waiting"); setTimeout(() => {}, 60_000)';
    const mark = `fs.writeFileSync(${JSON.stringify(marker)}, "")`;
    const script = join(dir, "two-parts.ts");
    const body = `import { runPart } from ${JSON.stringify(join(root, "test/run-part.ts"))};
      await runPart({ name: "first", args: ["-e", ${JSON.stringify(wait)}] }, { prefixed: true });
      await runPart({ name: "second", args: ["-e", ${JSON.stringify(mark)}] }, { prefixed: true });`;
    await writeFile(script, body);
    const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (data: Buffer) => {
      output += data.toString();
      if (output.includes("first | waiting") && !child.killed) child.kill("SIGINT");
    });
    await once(child, "close");
    expect(output).toContain("== second: not run after SIGINT");
    expect(existsSync(marker)).toBe(false);
  });
});

describe("a part", () => {
  it("is empty if none of its tests passed", () => {
    const passed = { passed: 1, failed: 0, skipped: 0 };
    const skipped = { passed: 0, failed: 0, skipped: 4 };
    const reports = new Map([
      ["unit", passed],
      ["e2e", skipped],
    ]);
    expect(emptyParts(reports)).toEqual(["e2e"]);
  });
});

describe("a second attempt", () => {
  const report = (passed: number, ...names: string[]): PartReport => ({
    ...{ passed, failed: names.length, skipped: 0, taken: [] },
    failures: names.map((name) => ({ name, error: "late" })),
  });

  it("runs the files of failed tests, but not where many failed, or something that is no test", () => {
    expect(filesToRepeat(report(9, "test/a.test.ts > x", "test/a.test.ts > y", "test/b.test.ts"))).toEqual([
      ...["test/a.test.ts", "test/b.test.ts"],
    ]);
    expect(filesToRepeat(report(9))).toEqual([]);
    expect(filesToRepeat(report(9, "test/a.test.ts > x", "the test run"))).toEqual([]);
    expect(filesToRepeat(report(9, ...["a", "b", "c", "d"].map((name) => `test/${name}.test.ts > x`)))).toEqual([]);
  });

  it("counts a test that passes now, and lists it as flaky", () => {
    const after = afterRepeat(report(9, "test/a.test.ts > x", "test/a.test.ts > y"), report(4, "test/a.test.ts > y"));
    expect(after).toMatchObject({ passed: 10, failed: 1, failures: [{ name: "test/a.test.ts > y" }] });
    expect(failureLines(after.flaky ?? [], "flaky")).toEqual(["flaky: test/a.test.ts > x", "    late"]);
  });

  it("counts what fails only now, and changes nothing if no test passed", () => {
    const first = report(9, "test/a.test.ts > x");
    expect(afterRepeat(first, report(4, "test/a.test.ts > y"))).toMatchObject({ passed: 10, failed: 1 });
    expect(afterRepeat(first, report(0, "e2e"))).toBe(first);
    expect(afterRepeat(first, report(0))).toBe(first);
  });
});

describe("the slowest tests", () => {
  it("are listed by part with seconds and processor time, slowest first", () => {
    const taken = [
      { name: "checks", seconds: 1.23, cpuSeconds: null },
      { name: "test/a.test.ts", seconds: 12.34, cpuSeconds: 4.56 },
    ];
    expect(slowestLines(taken)).toEqual(["   12.3 s  (cpu 4.6 s)   test/a.test.ts", "    1.2 s                checks"]);
    expect(slowestTitle("unit", taken)).toBe("slowest of unit, 5 s of processor time in all:");
    expect(slowestTitle("checks", [{ name: "checks", seconds: 1, cpuSeconds: null }])).toBe("slowest of checks:");
  });
});

describe("the last line", () => {
  it("adds the parts up", () => {
    const parts = [
      { passed: 8, failed: 0, skipped: 0 },
      { passed: 3, failed: 1, skipped: 2 },
    ];
    expect(countsLine(sumCounts(parts))).toBe("11 passed, 1 failed, 2 skipped");
  });

  it("shows the counts, and fails if nothing ran", async () => {
    const args = ["test/run.ts", "unit", "test/unit/no-such-file"];
    const run = promisify(execFile)(process.execPath, args, { cwd: root });
    const failure = (await run.catch((thrown: unknown) => thrown)) as { stdout: string; code?: number };
    expect([failure.stdout.trimEnd().split("\n").at(-1), failure.code]).toEqual(["0 passed, 0 failed, 0 skipped", 1]);
  });
});
