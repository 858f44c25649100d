import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { LandfallError, messageOf } from "../../../errors.ts";
import type { PauseRules } from "../../../model/runs/pause-rules.ts";
import { simulate, type Simulated, type Simulation } from "../../../simulate/simulate.ts";
import { type Recorded, World } from "../../../simulate/world.ts";
import type { Job } from "../../../simulate/job.ts";
import { writeWorkload } from "../../../simulate/write-workload.ts";
import type { Cli } from "../../cli.ts";
import { openBundle } from "../../options/open-bundle.ts";
import { writeResult } from "../../output/write-result.ts";
import { AllowedPlaces } from "./allowed-places.ts";
import { formatSimulation } from "./format-simulation.ts";
import { makeJobs, makeTasks, recordingOf } from "./make-tasks.ts";
import { type SimulateOptions, withSimulateOptions } from "./options.ts";
import { readMeasuredSeries } from "./read-measured-series.ts";
import { readOrigins } from "./origins.ts";
import { readCarbonSeries } from "../../../simulate/read-carbon-series.ts";

const BAR_WIDTH = 32;

/**
 * A progress bar on standard error, rewritten in place; nothing without a terminal. Call it with the completed share, 0
 * to 1.
 */
function showBar({ rewrite, watched }: Pick<Cli, "rewrite" | "watched">, title: string): (part: number) => void {
  let shown = -1;
  return (part) => {
    const percent = Math.min(100, Math.floor(100 * part));
    if (!watched || percent === shown) return;
    shown = percent;
    const filled = Math.round((BAR_WIDTH * percent) / 100);
    const bar = `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)}`;
    rewrite(percent === 100 ? "" : `${title} ${bar} ${String(percent).padStart(3)} %`);
  };
}

/** Shares are sums of many hours. */
const ROUNDING = 1e-6;

async function save(file: string | undefined, content: () => string): Promise<void> {
  if (file === undefined) return;
  try {
    await writeFile(file, content());
  } catch (thrown) {
    throw new LandfallError("SIM_OPTIONS", { detail: `cannot write ${file}: ${messageOf(thrown)}` }, thrown);
  }
}

/** The options as text. */
function describe({ year, series, shift, maxRegionShare, workload, seed }: SimulateOptions, jobs: number): string {
  const limit = maxRegionShare === undefined ? [] : [`no region over ${String(100 * maxRegionShare)} % of the load`];
  const shifted = {
    both: "place and time free",
    place: "place free, start on arrival",
    time: "time free, place pinned",
  };
  const from = workload ?? `seed ${String(seed)}`;
  return [`${String(jobs)} jobs (${from})`, `intensities of ${series ?? String(year)}`, shifted[shift], ...limit].join(
    " · ",
  );
}

function checkShift({ shift, maxRegionShare, maxPauses }: SimulateOptions): void {
  if (shift === "time" && maxRegionShare !== undefined) {
    throw new LandfallError("SIM_OPTIONS", {
      detail: "--shift time moves no job between regions: omit --max-region-share",
    });
  }
  if (shift !== "time" && maxPauses !== undefined) {
    throw new LandfallError("SIM_OPTIONS", { detail: "pauses are measured in a fixed place: add --shift time" });
  }
}

const pausesOf = ({ maxPauses, minRun, resumeCost }: SimulateOptions): { pauses?: PauseRules } =>
  maxPauses === undefined ? {} : { pauses: { maxPauses, minRunSeconds: minRun, resumeSeconds: resumeCost } };

/** Writes the files of --html and --plots. */
async function savePlots(
  options: SimulateOptions,
  { simulation, recorded, first }: { simulation: Simulation; recorded: Recorded; first: Job },
): Promise<void> {
  if (options.html === undefined && options.plots === undefined) return;
  // Loaded late, so that other commands do not wait for the plotting library.
  const { formatReport, plotsOf } = await import("./format-report.ts");
  const { tasks } = simulation;
  const judge = new World(recorded);
  const gramsOf = ({ placed }: Simulated): number[] =>
    placed.map(({ candidate, start }, at) => judge.grams((tasks[at] ?? { job: first }).job, candidate, start));
  const plots = plotsOf({ simulation, series: recorded.series, gramsOf });
  await save(options.html, () => formatReport(simulation, plots, describe(options, tasks.length)));
  await save(options.plots, () => JSON.stringify(plots));
}

async function run(cli: Cli, options: SimulateOptions): Promise<void> {
  const { shift, seed, maxRegionShare = null, waitingCost, frontier = [] } = options;
  checkShift(options);
  const series =
    options.series === undefined
      ? await readCarbonSeries(cli.root, options.year)
      : await readMeasuredSeries(options.series);
  const origins = await readOrigins(join(cli.root, "catalog"), series, options.origins);
  const jobs = await makeJobs(options, origins, recordingOf(series));
  await save(options.writeWorkload, () => writeWorkload(jobs));
  const bundle = await openBundle(cli, options);
  const places = new AllowedPlaces(bundle, series);
  const tasks = makeTasks(jobs, places);
  const [first] = jobs;
  if (first === undefined) return;
  const recorded = {
    ...{ series, sites: origins.sites, power: bundle.catalog.power },
    ...places.settingsOf(first),
    ...(waitingCost === undefined ? {} : { waitingCost: waitingCost / 100 }),
    knownHours: options.knownHours,
  };
  const bars = { onProgress: showBar(cli, "simulating"), onFrontier: showBar(cli, "costs of waiting") };
  const simulation = simulate(recorded, tasks, {
    shift,
    maxRegionShare,
    seed,
    frontier,
    ...pausesOf(options),
    ...bars,
  });
  const policies = simulation.policies.map(({ figures }) => figures);
  const passed = policies.find(({ name, busiestRegionShare }) => {
    return name === "clairvoyant" && busiestRegionShare > (maxRegionShare ?? 1) * (1 + ROUNDING);
  });
  if (passed !== undefined) {
    const busiest = `${(100 * passed.busiestRegionShare).toFixed(1)} %`;
    cli.note(
      `landfall: no assignment was found that keeps --max-region-share: a region runs ${busiest}, and the bound is none\n`,
    );
  }
  const measured = frontier.length === 0 ? {} : { frontier: simulation.frontier };
  const pauses = simulation.pauses.length === 0 ? {} : { pauses: simulation.pauses };
  const { upperBound, bestNow, lost, waitingCostPercent } = simulation;
  const summed = { policies, upperBound, bestNow, lost, jobs: tasks.length, waitingCostPercent };
  const figures = { ...summed, ...measured, ...pauses };
  await save(options.json, () => `${JSON.stringify(figures, null, 2)}\n`);
  await savePlots(options, { simulation, recorded, first });
  writeResult(cli, options.output, figures, () => formatSimulation(simulation, cli.colors));
}

/** `landfall simulate`: replays a workload over a recorded year under several policies. */
export function addSimulate(program: Command, cli: Cli): void {
  withSimulateOptions(
    program
      .command("simulate")
      .description("Replay a workload over recorded hours with several policies, and with perfect knowledge."),
  ).action((options: SimulateOptions) => run(cli, options));
}
