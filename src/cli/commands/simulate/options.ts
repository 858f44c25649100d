import { type Command, InvalidArgumentError, Option } from "commander";
import { whole, share } from "../../../flags/option-values.ts";
import { readDuration } from "../../../model/wrong-value/texts/read-time.ts";
import { parseWait } from "../../../model/time.ts";
import { type Shift, SHIFTS } from "../../../simulate/job.ts";
import type { Range } from "../../../simulate/generate-workload.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { repeated } from "../../options/repeated.ts";

export interface SimulateOptions extends OutputFlags {
  workload?: string;
  jobs: number;
  seed: number;
  year: number;
  series?: string;
  shift: Shift;
  maxRegionShare?: number;
  duration: Range;
  slack: Range;
  latency: Range;
  residencyShare: number;
  origins?: string[];
  waitingCost?: number;
  frontier?: number[];
  maxPauses?: number;
  minRun: number;
  resumeCost: number;
  knownHours: number;
  json?: string;
  html?: string;
  plots?: string;
  writeWorkload?: string;
  bundle?: string[];
  plainHttp?: boolean;
}

/** A share of more than nothing. */
function someShare(text: string): number {
  const value = share(text);
  if (value > 0) return value;
  throw new InvalidArgumentError("expected a number above 0 and at most 1.");
}

function range(text: string): Range {
  const [low = Number.NaN, high = low] = text.split("-", 2).map(Number);
  if (Number.isInteger(low) && Number.isInteger(high) && low >= 0 && high >= low && high <= 2000) return [low, high];
  const bare = text.replaceAll(/(?<=\d) ?h(?:ours?)?(?=$|-)/gi, "").replace(/ ?(?:to|\.\.|–) ?/, "-");
  const instead = /^\d{1,4}-\d{1,4}$/.test(bare) && bare !== text ? `: write ${bare}` : ", as 1-24";
  throw new InvalidArgumentError(`expected two whole numbers${instead}.`);
}

function duration(text: string): Range {
  const [low, high] = range(text);
  if (low > 0) return [low, high];
  throw new InvalidArgumentError("expected whole hours above 0, as 1-24.");
}

function percents(text: string): number[] {
  const parts = text.split(",").map((one) => (/^\d{1,4}$/.test(one.trim()) ? Number(one) : Number.NaN));
  if (parts.every((one) => Number.isInteger(one)) && parts.length <= 20)
    return [...new Set(parts)].sort((a, b) => a - b);
  throw new InvalidArgumentError("expected up to 20 whole numbers of percent, as 0,5,10.");
}

function seconds(text: string): number {
  const value = parseWait(text);
  if (value !== null) return value;
  const read = readDuration(text)?.value;
  const instead = typeof read === "string" ? `: write ${read}` : ", as 1h, 90m or 0m";
  throw new InvalidArgumentError(`expected a duration${instead}.`);
}

/** An option for a range, which the help shows as its user writes it. */
const rangeOption = (flags: string, description: string, parse: (text: string) => Range, [low, high]: Range): Option =>
  new Option(flags, description).argParser(parse).default([low, high], `${String(low)}-${String(high)}`);

/** Adds the options of `SimulateOptions` to a command. */
export function withSimulateOptions(command: Command): Command {
  return withOutput(command)
    .option("--workload <file>", "CSV of jobs, see docs/guides/simulate.md (default: jobs generated from the seed)")
    .option("--jobs <n>", "number of generated jobs", whole(1, 100_000), 2000)
    .option("--seed <n>", "seed of the generated jobs and of the random policy", whole(0, 2_147_483_647), 1)
    .option("--year <year>", "recorded year of the catalog to replay", whole(1900, 2100), 2022)
    .addOption(
      new Option(
        "--series <file>",
        "measured hours to replay instead, CSV or JSON (docs/guides/simulate.md)",
      ).conflicts("year"),
    )
    .addOption(new Option("--shift <what>", "what the policies can shift").choices(SHIFTS).default("both"))
    .option("--max-region-share <x>", "largest share of all load in one region (0 to 1)", someShare)
    .addOption(rangeOption("--duration <hours>", "durations of generated jobs", duration, [1, 24]))
    .addOption(rangeOption("--slack <hours>", "time that generated jobs can wait", range, [2, 168]))
    .addOption(rangeOption("--latency <ms>", "latency limits of generated jobs", duration, [20, 80]))
    .option("--residency-share <x>", "share of generated jobs whose data stays in the origin's area", share, 0.3)
    .option("--origins <places...>", "origins of generated jobs (default: European regions)")
    .option("--waiting-cost <percent>", "cost of a day of waiting in percent (default: the bundle's)", whole(0, 10_000))
    .option("--frontier <percents>", "measure saving and delay for these costs of waiting, as 0,1,2,5,10,20", percents)
    .option("--max-pauses <n>", "measure policies that pause a run up to n times; needs --shift time", whole(1, 100))
    .addOption(new Option("--min-run <time>", "least work between pauses").argParser(seconds).default(3600, "1h"))
    .addOption(new Option("--resume-cost <time>", "what a resume takes").argParser(seconds).default(600, "10m"))
    .option("--known-hours <n>", "replace the first hours of each forecast by the measured ones", whole(0, 168), 0)
    .option("--write-workload <file>", "write the jobs as CSV")
    .option("--json <file>", "write the figures as JSON")
    .option("--html <file>", "write a report with plots")
    .option("--plots <file>", "write the plots as JSON: a list of title, about and svg")
    .option(
      "--bundle <ref>",
      "policy bundle: a file or an OCI reference (default: the project's own); repeat for additional bundles",
      repeated,
    )
    .option("--plain-http", "the registry speaks HTTP without TLS");
}
