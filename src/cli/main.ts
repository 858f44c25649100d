import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import colors from "picocolors";
import { stringify } from "yaml";
import { pullBundle } from "../bundle/pull-bundle.ts";
import { renderChart } from "../composition/render-chart.ts";
import { LandfallError, messageOf } from "../errors.ts";
import type { Decision } from "../model/decision.ts";
import { COMPOSITION_GROUP } from "../model/names.ts";
import { parseTime } from "../model/time.ts";
import { loadBundle } from "../policy/load-bundle.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";
import { defaultCacheFolder } from "../toolchain/cache-paths.ts";
import { toolPath } from "../toolchain/tool-path.ts";
import { defaultBundle } from "./default-bundle.ts";
import { explainObjects } from "./explain-objects.ts";
import { formatDecision } from "./format-decision.ts";
import { planObject, type RenderChart } from "./plan-objects.ts";
import { readObjects } from "./read-objects.ts";

const EXIT = { allowed: 0, badInput: 2, denied: 3 } as const;
const root = fileURLToPath(new URL("../..", import.meta.url));
const out = process.stdout;

interface Options {
  file: string;
  output: string;
  now?: string;
  origin?: string;
  bundle?: string;
  plainHttp?: boolean;
}

async function openBundle({ bundle, plainHttp = false }: Options): Promise<LoadedBundle> {
  if (bundle === undefined) {
    const cacheDir = join(defaultCacheFolder(process.env), "bundles");
    const file = await defaultBundle({ root, cacheDir, opa: () => toolPath("opa") });
    return loadBundle(await readFile(file), "policies/bundle");
  }
  const crane = await toolPath("crane");
  const { bytes } = await pullBundle({ crane, ref: bundle, plainHttp });
  return loadBundle(bytes, bundle);
}

function readNow({ now }: Options): number {
  if (now === undefined) return Math.floor(Date.now() / 1000);
  const parsed = parseTime(now);
  if (parsed === null) throw new LandfallError("CLI_USAGE", { detail: `--now ${now} is no RFC 3339 time` });
  return parsed;
}

function requireOutput({ output }: Options, allowed: readonly string[]): void {
  if (!allowed.includes(output))
    throw new LandfallError("CLI_USAGE", { detail: `-o ${output} is not one of ${allowed.join(", ")}` });
}

const exitCode = (decisions: readonly Decision[]): number =>
  decisions.every((decision) => decision.allowed) ? EXIT.allowed : EXIT.denied;

/** One value for one object, an array for several: what a script that asks about one object expects. */
const single = <T>(values: readonly T[]): T | readonly T[] =>
  values.length === 1 && values[0] !== undefined ? values[0] : values;

function write(value: unknown, output: string): void {
  out.write(output === "json" ? `${JSON.stringify(value, null, 2)}\n` : stringify(value));
}

async function explain(options: Options): Promise<number> {
  requireOutput(options, ["table", "json", "yaml"]);
  const now = readNow(options);
  const objects = await readObjects(options.file, process.stdin);
  const decisions = explainObjects(objects, { policy: await openBundle(options), now, origin: options.origin ?? null });
  if (options.output === "table")
    out.write(decisions.map((decision) => formatDecision(decision, now, colors)).join("\n"));
  else write(single(decisions), options.output);
  return exitCode(decisions);
}

/** What the composition controller adds to the values: here without a cluster, so without a uid. */
function previewGlobals(name: string, namespace: string): Record<string, unknown> {
  return {
    compositionName: name,
    compositionNamespace: namespace,
    compositionId: "00000000-0000-0000-0000-000000000000",
    compositionGroup: COMPOSITION_GROUP,
    compositionKind: "VmTemplate",
    compositionResource: "vmtemplates",
    gracefullyPaused: false,
    krateoNamespace: "krateo-system",
  };
}

const render: RenderChart = async (_kind, object) => {
  const { name = "preview", namespace = "default" } = object.metadata;
  // Nothing of the user's own helm set-up (plug-ins, repositories) may change what is shown.
  const home = join(tmpdir(), "landfall-helm");
  const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, PATH: process.env["PATH"] ?? "" };
  const helm = { binary: await toolPath("helm"), kubeconfig: null, env };
  const values = { ...object.spec, global: previewGlobals(name, namespace) };
  return renderChart({ helm, chartDir: join(root, "charts", "vmtemplate"), values, name, namespace });
};

async function plan(options: Options): Promise<number> {
  requireOutput(options, ["table", "json", "yaml"]);
  const now = readNow(options);
  const objects = await readObjects(options.file, process.stdin);
  const decisions = explainObjects(objects, { policy: await openBundle(options), now, origin: options.origin ?? null });
  const plans = await Promise.all(
    objects.workloads.flatMap(({ object }, index) => {
      const decision = decisions[index];
      return decision === undefined ? [] : [planObject(object, decision, now, render)];
    }),
  );
  if (options.output === "json") write(single(plans), "json");
  for (const { decision, manifests } of options.output === "json" ? [] : plans) {
    const text = formatDecision(decision, now, options.output === "yaml" ? colors.createColors(false) : colors);
    // As comments, so that the whole stays YAML that kubectl can read.
    if (options.output === "table" || !decision.allowed) out.write(text.replace(/^/gm, "# ").replace(/# $/, ""));
    for (const manifest of manifests) out.write(`---\n${stringify(manifest)}`);
  }
  return exitCode(decisions);
}

const program = new Command("landfall")
  .description("Decides where and when cloud workloads land.")
  .exitOverride()
  .configureOutput({ outputError: (text, print) => print(text) });

function addDecisionCommand(
  name: string,
  description: string,
  outputs: string,
  run: (options: Options) => Promise<number>,
): void {
  program
    .command(name)
    .description(description)
    .requiredOption("-f, --file <file>", "YAML or JSON file with VmTemplates or KaasClusters; - for standard input")
    .option("-o, --output <format>", outputs, "table")
    .option("--now <time>", "decide as if it were this time (RFC 3339)")
    .option("--origin <provider/region>", "origin of objects that name none")
    .option("--bundle <ref>", "policy bundle: a file or an OCI reference; the project's own where left out")
    .option("--plain-http", "the registry speaks HTTP without TLS")
    .exitOverride()
    .action(async (options: Options) => {
      process.exitCode = await run(options);
    });
}

addDecisionCommand(
  "explain",
  "Say where and when an object would land, and why, without a cluster.",
  "table, json or yaml",
  explain,
);
addDecisionCommand("plan", "Explain, then print the manifests that would be installed.", "table, json or yaml", plan);

try {
  await program.parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? 0 : EXIT.badInput;
  else {
    process.stderr.write(`landfall: ${thrown instanceof LandfallError ? thrown.line : messageOf(thrown)}\n`);
    process.exitCode = EXIT.badInput;
  }
}
