import { basename, dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { buildBundle, type BuiltBundle } from "../../../bundle/build-bundle.ts";
import { buildDataImage, type ImageCard, readFolder, readPart } from "../../../bundle/build-data-image.ts";
import { buildTeamBundle } from "../../../bundle/build-team-bundle.ts";
import { CATALOG_PARTS } from "../../../bundle/catalog/catalog-part.ts";
import { sourcesHash } from "../../../bundle/sources-hash.ts";
import { checkRules } from "../../../bundle/check-rules.ts";
import { testPolicies } from "../../../bundle/test-policies.ts";
import { LandfallError } from "../../../errors.ts";
import { formatTime, parseTime } from "../../../model/time.ts";
import { toolPath } from "../../../toolchain/tool-path.ts";
import type { Cli } from "../../cli.ts";
import { requireCatalog } from "../../options/require-catalog.ts";
import { checkData, isPart } from "./check-data.ts";
import { checkSource } from "./check-source.ts";
import { finishBundle } from "./finish-bundle.ts";
import { type ReleaseFlags, releaseFrom, withReleaseOptions } from "./release-options.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { findOutliers } from "../../../bundle/catalog/sanity/find-outliers.ts";
import { oddIntensities } from "../../../bundle/catalog/sanity/odd-intensities.ts";
import { readCatalog } from "../../../bundle/catalog/read-catalog.ts";
import { outlierLine } from "../catalog/outlier-line.ts";

/** `landfall catalog check` lists all. */
const SHOWN = 5;

/** Warns of figures in a catalog that cannot be true: a bundle with them is built, and decides by them. Throws BUNDLE_DATA. */
async function noteOutliers(cli: Cli, catalog: string): Promise<void> {
  const { instanceTypes, carbon } = await readCatalog(catalog);
  const lines = [
    ...findOutliers(instanceTypes).map(outlierLine),
    ...oddIntensities(carbon).map(({ zone, yearly, detail }) => `${zone}: ${String(yearly)} gCO2eq/kWh ${detail}`),
  ];
  for (const line of lines.slice(0, SHOWN)) cli.note(`landfall: this figure cannot be true: ${line}\n`);
  if (lines.length > 0)
    cli.note(
      `landfall: ${String(lines.length)} of the figures of ${catalog} cannot be true; \`landfall catalog check --catalog ${catalog}\` lists them. Correct them, or set them to null\n`,
    );
}

interface Options extends ReleaseFlags, OutputFlags {
  out: string;
  source?: string;
  catalog?: string;
  capabilities?: string;
  revision?: string;
  team?: string;
  data?: string;
  name?: string;
  date?: string;
  freshHours?: string;
  test: boolean;
  signingKey?: string;
}

/** The platform's bundle. */
async function buildPlatform(cli: Cli, options: Options): Promise<BuiltBundle> {
  const source = resolve(options.source ?? join(cli.root, "policies/bundle"));
  const catalog = resolve(options.catalog ?? join(cli.root, "catalog"));
  const capabilities = resolve(options.capabilities ?? join(dirname(source), "capabilities.json"));
  await checkSource(source);
  await requireCatalog(catalog);
  const opa = await toolPath("opa");
  if (options.test) await testPolicies({ opa, source, capabilities });
  await checkRules(opa, source);
  const revision = options.revision ?? sourcesHash([source, catalog]);
  await noteOutliers(cli, catalog);
  return buildBundle({ opa, source, catalog, capabilities, revision, output: resolve(options.out) });
}

/** The rules of another team. */
async function buildTeam(cli: Cli, options: Options, name: string): Promise<BuiltBundle> {
  if (options.source === undefined)
    throw new LandfallError("CLI_USAGE", { detail: "--team needs --source, the folder of the team's policies" });
  const source = resolve(options.source);
  const capabilities = resolve(options.capabilities ?? join(cli.root, "policies/capabilities.json"));
  const opa = await toolPath("opa");
  if (options.test) await testPolicies({ opa, source, capabilities });
  await checkRules(opa, source);
  const revision = options.revision ?? sourcesHash([source]);
  return buildTeamBundle({ opa, source, capabilities, name, revision, output: resolve(options.out) });
}

/** Options of data images. */
const OF_DATA = { name: "--name", date: "--date", freshHours: "--fresh-hours" } as const;

function cardOf({ name, date, freshHours }: Options, fallback: string): Omit<ImageCard, "revision"> {
  const at = date === undefined ? null : parseTime(/^\d{4}-\d{2}-\d{2}$/.test(date) ? `${date}T00:00:00Z` : date);
  if (at === null)
    throw new LandfallError("CLI_USAGE", {
      detail:
        date === undefined
          ? "--data needs --date, when its figures were true: add e.g. --date 2026-11-21"
          : `--date ${date} is neither a day nor a time (RFC 3339): write e.g. --date 2026-11-21`,
    });
  const hours = freshHours === undefined ? null : Number(freshHours);
  if (hours !== null && !(hours > 0))
    throw new LandfallError("CLI_USAGE", {
      detail: `--fresh-hours ${String(freshHours)} is not a number of hours above 0: write e.g. --fresh-hours 48`,
    });
  return { name: checkedName(name ?? fallback), date: formatTime(at), freshHours: hours };
}

/** A data image. */
async function buildData(cli: Cli, options: Options, what: string): Promise<BuiltBundle> {
  await checkData(what);
  const card = cardOf(options, isPart(what) ? what : basename(resolve(what)));
  const source = resolve(options.source ?? join(cli.root, "policies/bundle"));
  const catalog = resolve(options.catalog ?? join(cli.root, "catalog"));
  if (isPart(what)) {
    await requireCatalog(catalog);
    await noteOutliers(cli, catalog);
  }
  const content = isPart(what)
    ? await readPart(what, catalog, source)
    : await readFolder(await toolPath("opa"), resolve(what));
  const revision = options.revision ?? sourcesHash([isPart(what) ? catalog : resolve(what)]);
  return buildDataImage(content, { ...card, revision }, resolve(options.out));
}

/** Validates by schemas/bundle-manifest.schema.json, so that every built bundle is accepted by webhooks. */
function checkedName(name: string): string {
  if (/^[a-z][a-z0-9-]{0,30}$/.test(name) && name !== "landfall") return name;
  throw new LandfallError("CLI_USAGE", {
    detail: `${name} is not a name of a bundle: lower-case letters, digits and -, not landfall`,
  });
}

function built(cli: Cli, options: Options): Promise<BuiltBundle> {
  const { data, team } = options;
  if (data !== undefined && team !== undefined)
    throw new LandfallError("CLI_USAGE", { detail: "--data builds figures, --team policies: give one" });
  if (data !== undefined) return buildData(cli, options, data);
  const [alone] = (["name", "date", "freshHours"] as const).filter((one) => options[one] !== undefined);
  if (alone !== undefined)
    throw new LandfallError("CLI_USAGE", { detail: `${OF_DATA[alone]} describes a data image: add --data` });
  if (team !== undefined) return buildTeam(cli, options, checkedName(team));
  return buildPlatform(cli, options);
}

async function build(cli: Cli, options: Options): Promise<void> {
  const release = releaseFrom(options);
  const bundle = await built(cli, options);
  await finishBundle(cli, bundle, { release, signingKey: options.signingKey });
  writeResult(cli, options.output, bundle, () => `${bundle.path}\nrevision ${bundle.revision}\n${bundle.digest}\n`);
}

/** `landfall bundle build`: tests the sources and packs them into a tarball; equal sources give equal bytes. */
export function addBuild(parent: Command, cli: Cli): void {
  const command = withOutput(parent.command("build"))
    .description("Check, test and compile policies and data into one tarball. Equal sources give equal digests.")
    .option("--out <file>", "the tarball to write", "bundle.tar.gz")
    .option("--source <folder>", "folder of the policies (default: the project's own)")
    .option("--team <name>", "build a team's rules, for use with the platform's: packages of landfall.custom")
    .option("--data <what>", `build a data image: ${CATALOG_PARTS.join(", ")}, or a folder with .manifest and data`)
    .option("--name <name>", "name of the data image (default: the kind of its data)")
    .option("--date <time>", "date of the data image's values (RFC 3339)")
    .option("--fresh-hours <hours>", "maximum age of the data image's values")
    .option("--catalog <folder>", "folder of the catalog (default: the project's own)")
    .option(
      "--capabilities <file>",
      "capabilities of the WASM runtime (default: capabilities.json next to the policies)",
    )
    .option("--revision <text>", "revision shown in every decision (default: a hash of the sources)")
    .option("--signing-key <file>", "add opa's own .signatures.json, made with this private key (PEM)")
    .option("--no-test", "skip opa check and opa test");
  withReleaseOptions(command).action((options: Options) => build(cli, options));
}
