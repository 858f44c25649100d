// `npm run bench [-- --json FILE] [--only admission|decision|composition|helm] [--seconds N] [--rounds N] [--objects N]`: the webhook
// against an OPA server with the same bundle and a bare echo, then many objects at once on a fresh control plane.
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultBundle } from "../src/cli/options/default-bundle.ts";
import { LandfallError, lineOf, messageOf } from "../src/errors.ts";
import { servedVersion } from "../src/local/landfall/apply-definitions.ts";
import { startLandfall, type Landfall } from "../src/local/landfall/start-landfall.ts";
import { COMPOSITION_GROUP } from "../src/model/names.ts";
import { loadBundle } from "../src/policy/load-bundle.ts";
import { defaultCacheFolder } from "../src/toolchain/cache-paths.ts";
import { toolPath } from "../src/toolchain/tool-path.ts";
import { checkAnswers } from "./check-answers.ts";
import { formatReport } from "./format-report.ts";
import { makeTargets } from "./make-targets.ts";
import { measureAdmission } from "./measure-admission.ts";
import { measureComposition } from "./measure-composition.ts";
import { type HelmTarget, measureHelm } from "./measure-helm.ts";
import { measureDecision } from "./measure-decision.ts";
import { readBenchOptions } from "./options.ts";
import { findProcess, peakMemoryMb } from "./process-memory.ts";
import { batchObjects, OBJECTS } from "./sample-objects.ts";
import type { BenchReport, DecisionResult, HelmResult } from "./types.ts";
import { nowSeconds } from "../src/model/time.ts";

const options = readBenchOptions(process.argv);
const wanted = (part: string): boolean => options.only === undefined || options.only === part;
const report = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

async function decisions(apiVersion: string): Promise<DecisionResult[]> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const cacheDir = join(defaultCacheFolder(process.env), "bundles");
  const file = await defaultBundle({ root, cacheDir, opa: () => toolPath("opa") });
  const policy = await loadBundle(await readFile(file), "policies/bundle");
  const now = nowSeconds();
  return measureDecision({ policy, objects: batchObjects(OBJECTS, now, apiVersion), nowSeconds: now, calls: 5000 });
}

function versionOf({ charts }: Landfall): string {
  const chart = charts.find(({ name }) => name === "vm-template");
  return `${COMPOSITION_GROUP}/${servedVersion(chart?.version ?? "0.1.0")}`;
}

/** Two Landfalls on this machine, which differ in how helm is called, get objects in turn. */
async function helm(base: string, signal: AbortSignal): Promise<HelmResult[]> {
  const targets: HelmTarget[] = [];
  try {
    for (const by of ["program", "worker"] as const) {
      const folder = join(base, by);
      const more = { audit: true, helmBy: by };
      targets.push({
        ...{ by, dir: folder },
        landfall: await startLandfall({ dir: folder, env: process.env, report, signal, ...more }),
      });
    }
    const apiVersion = targets[0] === undefined ? "" : versionOf(targets[0].landfall);
    return await measureHelm(targets, { apiVersion, objects: options.objects, rounds: options.rounds, report });
  } finally {
    await Promise.all(targets.map(({ landfall }) => landfall.stop()));
  }
}

async function measure(landfall: Landfall, dir: string): Promise<BenchReport> {
  const apiVersion = versionOf(landfall);
  const result: BenchReport = { admission: [], decision: [], composition: null, helm: [], webhookRssMb: NaN };
  if (wanted("admission")) {
    const targets = await makeTargets(landfall, apiVersion);
    await checkAnswers(targets);
    const effort = { rounds: options.rounds, seconds: options.seconds, report };
    result.admission = await measureAdmission(targets, effort);
  }
  if (wanted("decision")) result.decision = await decisions(apiVersion);
  if (wanted("composition")) {
    result.composition = await measureComposition(landfall, { apiVersion, objects: options.objects, report });
  }
  const webhook = await findProcess("webhook/main.ts", dir);
  if (webhook !== null) result.webhookRssMb = await peakMemoryMb(webhook);
  return result;
}

// Reports an unwritable file before minutes of measuring.
try {
  if (options.json !== undefined) await (await open(options.json, "a")).close();
} catch (thrown) {
  report(new LandfallError("LOCAL_BENCH", { detail: messageOf(thrown) }).line);
  process.exit(1);
}
const dir = await mkdtemp(join(tmpdir(), "landfall-bench-"));
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    interrupted.abort(new LandfallError("LOCAL_BENCH", { detail: signal }));
  });
}
let succeeded = false;
try {
  const components = wanted("composition")
    ? (["webhook", "composition", "simulators", "elemento"] as const)
    : (["webhook"] as const);
  const { signal } = interrupted;
  const calls = wanted("helm") ? await helm(dir, signal) : [];
  const landfall = await startLandfall({ dir: join(dir, "main"), env: process.env, components, report, signal });
  try {
    const result = await Promise.race([measure(landfall, dir), landfall.stage.supervisor.failed]);
    result.helm = calls;
    process.stdout.write(`${formatReport(result)}\n`);
    if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`);
    succeeded = true;
  } finally {
    await landfall.stop();
  }
} catch (thrown) {
  report(lineOf(thrown));
  process.exitCode = 1;
} finally {
  if (succeeded) await rm(dir, { recursive: true, force: true });
  else report(`logs are below ${dir}`);
}
