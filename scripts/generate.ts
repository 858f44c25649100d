import { parseArgs } from "node:util";

/** What a generator gets: where the raw figures are (catalog only), and whether to compare instead of write. */
export interface GenerateOptions {
  data: string;
  check: boolean;
}

/** Writes its files, or with `check` writes nothing; answers the paths whose content differs from what is generated. */
export type Generator = (options: GenerateOptions) => Promise<string[]>;

/** Loaded only when asked for: a generator may need what the others do not. */
const GENERATORS: Record<string, { file: string; verb: string }> = {
  catalog: { file: "./generate/generate-catalog.ts", verb: "generateCatalog" },
  "carbon-series": { file: "./generate/generate-carbon-series.ts", verb: "generateCarbonSeries" },
  "forecast-weights": { file: "./generate/generate-forecast-weights.ts", verb: "generateForecastWeights" },
  "schema-checks": { file: "./generate/generate-schema-checks.ts", verb: "generateSchemaChecks" },
  charts: { file: "./generate/generate-chart-schemas.ts", verb: "generateChartSchemas" },
  "local-crds": { file: "./generate/generate-local-crds.ts", verb: "generateLocalCrds" },
  errors: { file: "./docs/generate-error-docs.ts", verb: "generateErrorDocs" },
  settings: { file: "./docs/generate-settings-docs.ts", verb: "generateSettingsDocs" },
  "chart-values": { file: "./docs/generate-chart-values-docs.ts", verb: "generateChartValuesDocs" },
  kops: { file: "./docs/generate-kops-docs.ts", verb: "generateKopsDocs" },
  operations: { file: "./docs/generate-operations-docs.ts", verb: "generateOperationsDocs" },
  metrics: { file: "./docs/generate-metrics-docs.ts", verb: "generateMetricsDocs" },
  dashboards: { file: "./dashboards/generate-dashboards.ts", verb: "generateDashboards" },
  figures: { file: "./docs/generate-figures.ts", verb: "generateFigures" },
  capabilities: { file: "./generate/generate-capabilities.ts", verb: "generateCapabilities" },
};

async function load({ file, verb }: { file: string; verb: string }): Promise<Generator> {
  const module = (await import(file)) as Record<string, Generator>;
  const generator = module[verb];
  if (generator === undefined) throw new TypeError(`${file} exports no ${verb}`);
  return generator;
}

async function run(name: string, options: GenerateOptions): Promise<boolean> {
  const entry = GENERATORS[name];
  if (entry === undefined) return true;
  const changed = await (await load(entry))(options);
  for (const file of changed) console.log(options.check ? `out of date: ${file}` : `written: ${file}`);
  if (changed.length === 0) console.log(`${name}: up to date`);
  return !options.check || changed.length === 0;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: "boolean", default: false }, data: { type: "string", default: "../shared/data" } },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(GENERATORS);
  const unknown = names.filter((name) => !(name in GENERATORS));
  if (unknown.length > 0) {
    console.error(`no generator is called ${unknown.join(", ")}; there are ${Object.keys(GENERATORS).join(", ")}`);
    return 2;
  }
  let upToDate = true;
  for (const name of names) upToDate = (await run(name, values)) && upToDate;
  return upToDate ? 0 : 1;
}

process.exitCode = await main();
