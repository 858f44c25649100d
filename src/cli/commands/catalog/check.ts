import { join, resolve } from "node:path";
import type { Command } from "commander";
import { checkCatalog } from "../../../bundle/catalog/check-catalog.ts";
import { readCatalog } from "../../../bundle/catalog/read-catalog.ts";
import { coverage, type ProviderCoverage } from "../../../bundle/catalog/sanity/coverage.ts";
import { findOutliers, type Outlier } from "../../../bundle/catalog/sanity/find-outliers.ts";
import { omitted } from "../../../bundle/catalog/sanity/read-omitted.ts";
import { type OddIntensity, oddIntensities } from "../../../bundle/catalog/sanity/odd-intensities.ts";
import { datesOf } from "../../../bundle/catalog/assemble-data.ts";
import { type Cli, EXIT } from "../../cli.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { type Column, plainTable } from "../../output/plain-table.ts";
import { outlierLine } from "./outlier-line.ts";
import { requireCatalog } from "../../options/require-catalog.ts";
import { readOutliers } from "./read-outliers.ts";
import { writeResult } from "../../output/write-result.ts";

interface CheckFlags extends OutputFlags {
  catalog?: string;
  omitted?: boolean;
}

interface Report {
  coverage: ProviderCoverage[];
  /** Name of the figures -> their date. */
  dates: Record<string, string>;
  /** Prices in the catalog that cannot be true. */
  outliers: Outlier[];
  intensities: OddIntensity[];
  /** Prices that were omitted when the catalog was generated. */
  omitted: Outlier[];
}

const COLUMNS: readonly (readonly [Column, (row: ProviderCoverage) => string | number])[] = [
  [["PROVIDER"], ({ provider }) => provider],
  [["PLACES", "right"], ({ places }) => places],
  [["TYPES", "right"], ({ types }) => types],
  [["OFFERS", "right"], ({ offers }) => offers],
  [["PRICED", "right"], ({ offers, priced }) => (offers === 0 ? "-" : `${String(Math.floor((100 * priced) / offers))} %`)],
  [["CO2 BY HOUR", "right"], ({ carbon }) => carbon.hourly],
  [["BY YEAR", "right"], ({ carbon }) => carbon.yearly],
  [["NONE", "right"], ({ carbon }) => carbon.unknown],
  [["MS MEASURED", "right"], ({ latency }) => latency.measured],
  [["ESTIMATED", "right"], ({ latency }) => latency.estimated],
  [["NONE", "right"], ({ latency }) => latency.unknown],
];

/** Lines below a heading; none if there are no lines. */
const section = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ["", heading, ...lines.map((line) => `  ${line}`)];

function text(report: Report, lists: boolean, cli: Cli): string {
  const empty = report.coverage.flatMap(({ provider, empty: regions }) => regions.map((one) => `${provider}/${one}`));
  const rows = report.coverage.map((row) => COLUMNS.map(([, value]) => String(value(row))));
  const wrong = report.outliers.length + report.intensities.length;
  return [
    ...plainTable(
      COLUMNS.map(([column]) => column),
      rows,
      cli.colors,
    ),
    ...section(
      "dates of the figures:",
      Object.entries(report.dates).map(([what, date]) => `${what}: ${date}`),
    ),
    ...section("never chosen, because no machine type is known there:", empty.length === 0 ? [] : [empty.join(", ")]),
    ...section("omitted, because they cannot be true:", lists ? report.omitted.map(outlierLine) : []),
    ...section("prices that cannot be true:", report.outliers.map(outlierLine)),
    ...section(
      "carbon intensities that cannot be true:",
      report.intensities.map(({ zone, yearly, detail }) => `${zone}: ${String(yearly)} ${detail}`),
    ),
    "",
    `${String(report.omitted.length)} published prices are omitted${lists ? "" : " (-o wide lists them)"}; ` +
      (wrong === 0 ? "no other figure is an outlier" : `${String(wrong)} figures are outliers`),
    "",
  ].join("\n");
}

async function check(cli: Cli, options: CheckFlags): Promise<void> {
  const folder = resolve(options.catalog ?? join(cli.root, "catalog"));
  await requireCatalog(folder);
  const files = await readCatalog(folder);
  checkCatalog(files, folder);
  const report: Report = {
    coverage: coverage(files),
    dates: datesOf(Object.values(files)),
    outliers: findOutliers(files.instanceTypes),
    intensities: oddIntensities(files.carbon),
    omitted: omitted(await readOutliers(folder)),
  };
  writeResult(cli, options.output, report, (isWide) => text(report, isWide || options.omitted === true, cli));
  cli.exit(report.outliers.length + report.intensities.length === 0 ? EXIT.allowed : EXIT.denied);
}

/** `landfall catalog check`: what the catalog knows, and which of its figures cannot be true. */
export function addCheck(parent: Command, cli: Cli): void {
  withOutput(parent.command("check"))
    .description("Show what the catalog covers and which figures cannot be true. Exits with 3 if there are any.")
    .option("--catalog <folder>", "folder of the catalog (default: the project's own)")
    .option("--omitted", "list the published prices that were omitted when the catalog was generated")
    .action((options: CheckFlags) => check(cli, options));
}
