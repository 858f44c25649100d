import { readTime } from "../../model/wrong-value/texts/read-time.ts";
import { type Command, Option } from "commander";
import { LandfallError } from "../../errors.ts";
import type { Decision } from "../../model/decision.ts";
import { fedZones } from "../../model/places/catalog.ts";
import { nowSeconds, parseTime } from "../../model/time.ts";
import { type Cli, EXIT } from "../cli.ts";
import { explainObjects } from "../objects/explain-objects.ts";
import { fetchForecasts } from "./fetch-forecasts.ts";
import { openBundle } from "./open-bundle.ts";
import { FORMATS, type OutputFlags, withOutput } from "./output-option.ts";
import { type ReadObjects, readObjects } from "../objects/read-objects.ts";
import { requirePlace } from "./require-name.ts";
import { repeated } from "./repeated.ts";
import { type RegistryFlags, withRegistryOptions } from "./registry-options.ts";

/** Options of every command that decides. */
export interface DecisionOptions extends RegistryFlags, OutputFlags {
  file: string[];
  now?: string;
  origin?: string;
  bundle?: string[];
  forecast?: string;
  forecastSettings?: string;
}

/** Adds the options of `DecisionOptions` to a command; the first format of `output` is the default. */
export function withDecisionOptions(
  command: Command,
  { objects = "VmTemplates or KaasClusters", output = FORMATS, needsFile = true } = {},
): Command {
  const file = new Option(
    "-f, --file <paths...>",
    `YAML or JSON file with ${objects}, a folder, a pattern, or - for standard input; several, or repeated`,
  );
  return withOutput(withRegistryOptions(command), output)
    .addOption(file.argParser(repeated).makeOptionMandatory(needsFile))
    .option("--now <time>", "time of the decision (RFC 3339, default: now)")
    .option("--origin <provider/region>", "origin of objects without one")
    .option(
      "--bundle <ref>",
      "policy bundle: a file or an OCI reference (default: the project's own); repeat for data images and bundles of teams",
      repeated,
    )
    .option("--forecast <file>", "forecast of carbon intensity (CSV or JSON) (default: the bundle's climatology)")
    .option("--forecast-settings <file>", "the webhook's forecast settings (YAML)");
}

/** The advice about a text that is not a time. */
function nowAdvice(now: string): string {
  const { value } = readTime(now) ?? {};
  if (typeof value === "string" && parseTime(value) !== null) return `write --now ${value}`;
  return /^(?:now|today)$/i.test(now) ? "omit it for now" : "write e.g. --now 2026-12-31T18:00:00Z";
}

/** Seconds since 1970. */
export function readNow({ now }: { now?: string | undefined }): number {
  if (now === undefined) return nowSeconds();
  const parsed = parseTime(now);
  if (parsed === null)
    throw new LandfallError("CLI_USAGE", {
      detail: `--now ${now} is not a time with its zone (RFC 3339): ${nowAdvice(now)}`,
    });
  return parsed;
}

/** Decides each object as the webhook would; `onFault` as of `explainObjects`. Throws CLI_UNKNOWN_NAME for an origin that the catalog does not have. */
export async function decideObjects(
  cli: Cli,
  options: DecisionOptions,
  objects: ReadObjects,
  onFault?: (fault: LandfallError) => void,
): Promise<{ decisions: Decision[]; nowSeconds: number }> {
  const nowSeconds = readNow(options);
  const policy = await openBundle(cli, options);
  const forecasts = await fetchForecasts(cli, options, fedZones(policy.catalog));
  const origin = options.origin ?? null;
  if (origin !== null) requirePlace(Object.keys(policy.catalog.places), "--origin", origin);
  return { decisions: explainObjects(objects, { policy, nowSeconds, origin, forecasts, onFault }), nowSeconds };
}

/** Reads the objects of `-f` and decides each. */
export async function decideFile(
  cli: Cli,
  options: DecisionOptions,
): Promise<{ objects: ReadObjects; decisions: Decision[]; nowSeconds: number }> {
  const objects = await readObjects(options.file, cli);
  return { objects, ...(await decideObjects(cli, options, objects)) };
}

export const exitCode = (decisions: readonly Decision[]): number =>
  decisions.every((decision) => decision.allowed) ? EXIT.allowed : EXIT.denied;

/** One value for one object, an array for several, which is simplest for scripts. */
export const single = <T>(values: readonly T[]): T | readonly T[] =>
  values.length === 1 && values[0] !== undefined ? values[0] : values;
