import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Command } from "commander";
import colors from "picocolors";
import type { Colors } from "picocolors/types.js";
import { buildBundle } from "../../../bundle/build-bundle.ts";
import { sourcesHash } from "../../../bundle/sources-hash.ts";
import { LandfallError, messageOf } from "../../../errors.ts";
import { limitTime } from "../../../policy/module/limit-time.ts";
import { loadBundle } from "../../../policy/load-bundle.ts";
import type { LoadedBundle } from "../../../policy/loaded-bundle.ts";
import { readCase } from "../../../testing/read-case.ts";
import { runCase } from "../../../testing/run-case.ts";
import { toolPath } from "../../../toolchain/tool-path.ts";
import { nearest } from "../../../model/text/nearest.ts";
import { checkSource } from "../bundle/check-source.ts";
import { requireCatalog } from "../../options/require-catalog.ts";
import { badInput } from "../../objects/read-documents.ts";
import { chartRenderer } from "../../objects/chart-renderer.ts";
import { type Cli, EXIT } from "../../cli.ts";
import { openBundle } from "../../options/open-bundle.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { isValue, writeResult } from "../../output/write-result.ts";
import { type RegistryFlags, withRegistryOptions } from "../../options/registry-options.ts";
import { repeated } from "../../options/repeated.ts";
import type { CaseResult, Mismatch, PolicyCase } from "../../../testing/policy-case.ts";
import { formatDifference } from "../../output/format-difference.ts";

const difference = ({ what, expected, actual, hint }: Mismatch, colors: Colors): string =>
  `    ${what}\n${formatDifference(expected, actual ?? "nothing", colors, "      ")}${hint === undefined ? "" : `      ${hint}\n`}`;

/** Expected (-) and actual (+) values of each expectation that is not met. */
function formatMismatches({ mismatches, message }: CaseResult, colors: Colors): string {
  // The last line has only codes and digests.
  const lines = message?.split("\n").filter((line, index) => index === 0 || !line.startsWith("  [")) ?? [];
  const said = lines.length === 0 ? "" : `    denied: ${lines.join("\n    ")}\n`;
  return mismatches.map((mismatch) => difference(mismatch, colors)).join("") + said;
}

/** One line for a passed case, the differences for a failed one. `isWide` adds how long it took. */
function formatCase(result: CaseResult, isWide: boolean, colors: Colors): string {
  const { name, description } = result.case;
  const took = isWide ? colors.dim(`  ${result.milliseconds.toFixed(1)} ms`) : "";
  const title = (description === "" ? name : `${name}: ${description}`) + took;
  if (result.mismatches.length === 0) return `  ${colors.green("✓")} ${title}\n`;
  return `  ${colors.red("✗")} ${title}\n${formatMismatches(result, colors)}`;
}

interface Options extends RegistryFlags, OutputFlags {
  bundle?: string[];
  source?: string;
  catalog?: string;
  charts?: string;
  run?: string;
  junit?: string;
}

const isCase = (file: string): boolean => /(^|\.)case\.ya?ml$/.test(basename(file));

const CASES = "give a case (*.case.yaml) or a folder of cases, e.g. policies/tests";

/** The advice for a path of cases that is not there: the neighbour whose name is most like it. */
async function instead(path: string): Promise<string> {
  const names = await readdir(dirname(path)).catch(() => []);
  const near = nearest(basename(path), names) ?? names.find((name) => name.startsWith(basename(path)));
  return near === undefined ? CASES : `write ${join(dirname(path), near)}, or ${CASES}`;
}

/** The files of all cases at or below a path, sorted. Throws CLI_INPUT. */
async function caseFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch(async (thrown: unknown) => {
    throw badInput(path, messageOf(thrown), await instead(path), thrown);
  });
  if (found.isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && isCase(entry.name));
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** A case.yaml is named after its folder, an eu.case.yaml after itself. */
function nameOf(file: string, base: string): string {
  const own = basename(file).replace(/\.?case\.ya?ml$/, "");
  return relative(base, own === "" ? dirname(file) : join(dirname(file), own)) || basename(dirname(resolve(file)));
}

async function readCases(paths: readonly string[], { run }: Options): Promise<PolicyCase[]> {
  const found: PolicyCase[] = [];
  for (const path of paths) {
    const base = (await stat(path).catch(() => null))?.isDirectory() === true ? path : dirname(path);
    for (const file of await caseFiles(path))
      found.push(readCase(await readFile(file, "utf8"), file, nameOf(file, base)));
  }
  const wanted = found.filter(({ name, description }) => run === undefined || `${name} ${description}`.includes(run));
  if (wanted.length > 0) return wanted;
  const detail =
    run === undefined ? "no case.yaml and no *.case.yaml lies there" : `none of its cases has ${run} in its name`;
  const correction = run === undefined ? CASES : "give --run a part of a name or description, or omit it";
  throw badInput(paths.join(", "), detail, correction);
}

/** The bundle under test: a built one, or the present sources. */
async function bundleOf(cli: Cli, options: Options): Promise<LoadedBundle> {
  if (options.source === undefined && options.catalog === undefined) return openBundle(cli, options);
  if (options.bundle !== undefined)
    throw new LandfallError("CLI_USAGE", {
      detail: "--bundle names a built bundle, --source and --catalog sources: give one",
    });
  const source = resolve(options.source ?? join(cli.root, "policies/bundle"));
  await checkSource(source);
  const catalog = resolve(options.catalog ?? join(cli.root, "catalog"));
  await requireCatalog(catalog);
  const folder = await mkdtemp(join(tmpdir(), "landfall-test-"));
  try {
    const revision = sourcesHash([source, catalog]);
    const output = join(folder, "bundle.tar.gz");
    await buildBundle({ opa: await toolPath("opa"), source, catalog, revision, output });
    return await loadBundle(await readFile(output), source, { run: limitTime() });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function summary(results: readonly CaseResult[], { colors: paint }: Cli): string {
  const failed = results.filter(({ mismatches }) => mismatches.length > 0).length;
  const text = `${String(results.length - failed)} passed, ${String(failed)} failed`;
  return `\n${failed > 0 ? paint.red(text) : paint.green(text)}\n`;
}

async function test(cli: Cli, paths: readonly string[], options: Options): Promise<void> {
  const cases = await readCases(paths.length > 0 ? paths : [join(cli.root, "policies/tests")], options);
  const policy = await bundleOf(cli, options);
  const charts = resolve(options.charts ?? join(cli.root, "charts"));
  await stat(charts).catch((thrown: unknown) => {
    throw badInput(
      charts,
      messageOf(thrown),
      "check the path: --charts is the folder that holds vmtemplate and kaas-cluster",
      thrown,
    );
  });
  const render = chartRenderer(cli, charts);
  const results: CaseResult[] = [];
  for (const one of cases) {
    const result = await runCase(one, { policy, render });
    results.push(result);
    if (!isValue(options.output)) cli.write(formatCase(result, options.output === "wide", cli.colors));
  }
  writeResult(cli, options.output, results, () => summary(results, cli));
  if (options.junit !== undefined) {
    const { junitReport } = await import("../../../testing/junit-report.ts");
    const about = { bundle: policy.digest, revision: policy.revision };
    const plain = colors.createColors(false);
    await writeFile(
      options.junit,
      junitReport(results, about, (result) => formatMismatches(result, plain)),
    );
  }
  cli.exit(results.every(({ mismatches }) => mismatches.length === 0) ? EXIT.allowed : EXIT.denied);
}

/** `landfall test`: test cases for the policies and the charts. */
export function addTest(program: Command, cli: Cli): void {
  withOutput(withRegistryOptions(program.command("test")))
    .description(
      "Run test cases against the policies and the charts (case.yaml: object, namespace, facts, expectations).",
    )
    .argument("[paths...]", "files, or folders that contain case.yaml or *.case.yaml (default: policies/tests)")
    .option(
      "--bundle <ref>",
      "policy bundle: a file or an OCI reference (default: the project's own); repeat for additional bundles",
      repeated,
    )
    .option("--source <folder>", "build the bundle from the policies in this folder")
    .option("--catalog <folder>", "build the bundle with the catalog in this folder")
    .option("--charts <folder>", "folder of the charts (default: the project's own)")
    .option("--run <text>", "only cases whose name or description contains this text")
    .option("--junit <file>", "also write a JUnit report")
    .action((paths: string[], options: Options) => test(cli, paths, options));
}
