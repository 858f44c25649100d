import { join, resolve } from "node:path";
import { Argument, type Command } from "commander";
import { checkCatalog } from "../../../../bundle/catalog/check-catalog.ts";
import { readCatalog } from "../../../../bundle/catalog/read-catalog.ts";
import { parseReference } from "../../../../bundle/registry/parse-reference.ts";
import { readPrivateKey } from "../../../../bundle/signature/read-key.ts";
import { LandfallError, messageOf } from "../../../../errors.ts";
import { type Cli, EXIT } from "../../../cli.ts";
import { writeResult } from "../../../output/write-result.ts";
import { releaseFrom } from "../../bundle/release-options.ts";
import { type Published, publishPart } from "./publish-part.ts";
import { REFRESH_PARTS, type RefreshFlags, type RefreshPart, withRefreshOptions } from "./refresh-options.ts";
import { refreshCarbon } from "./refresh-carbon.ts";
import { refreshPrices } from "./refresh-prices.ts";
import type { Refreshed } from "./refreshed.ts";
import { GOOGLE_KEY } from "./wanted-places.ts";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { formatCatalog } from "../../../../bundle/catalog/format-catalog.ts";

/** Writes a catalog into a folder: the files of `base`, some of them with new content. Throws BUNDLE_DATA. */
async function saveCatalog(base: string, folder: string, changed: Record<string, unknown>): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if (base !== folder) await cp(base, folder, { recursive: true });
    for (const [name, content] of Object.entries(changed)) await writeFile(join(folder, name), formatCatalog(content));
  } catch (thrown) {
    throw new LandfallError("BUNDLE_DATA", { ref: folder, detail: messageOf(thrown) }, thrown);
  }
}

const REFRESH = { prices: refreshPrices, carbon: refreshCarbon } as const;

const usage = (detail: string): LandfallError => new LandfallError("CLI_USAGE", { detail });

/** The options that say something of one part only. */
const OF_PART: Readonly<Record<RefreshPart, readonly (keyof RefreshFlags)[]>> = {
  prices: ["provider", "place"],
  carbon: ["forecastSettings", "history"],
};

/** `forecastSettings` as it is written. */
const optionOf = (flag: string): string => `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function checkPart(part: RefreshPart, flags: RefreshFlags): void {
  for (const other of REFRESH_PARTS) {
    const foreign = other === part ? undefined : OF_PART[other].find((flag) => flags[flag] !== undefined);
    if (foreign !== undefined)
      throw usage(`${optionOf(foreign)} is for ${other}: write landfall catalog refresh ${other}, or omit it`);
  }
}

/** Before anything is fetched, which can take an hour. Throws CLI_USAGE, BUNDLE_KEY, BUNDLE_REFERENCE. */
async function checkFlags({ env }: Cli, part: RefreshPart, flags: RefreshFlags): Promise<void> {
  releaseFrom(flags);
  checkPart(part, flags);
  if (flags.key !== undefined && flags.push === undefined) throw usage("--key signs what --push pushes: give both");
  if (flags.push !== undefined) parseReference(flags.push);
  const keys = [flags.key, flags.signingKey].filter((file) => file !== undefined);
  await Promise.all(keys.map((file) => readPrivateKey(file, env["LANDFALL_KEY_PASSPHRASE"])));
}

function print(cli: Cli, flags: RefreshFlags, { report, text }: Refreshed, image: Published | null): void {
  const lines = image === null ? [] : [image.path, `revision ${image.revision}`, image.digest, image.pushed ?? ""];
  const ends = lines.filter((line) => line !== "").map((line) => `${line}\n`);
  writeResult(cli, flags.output, { ...report, image }, (isWide) => [text(isWide), ...ends].join(""));
}

async function refresh(cli: Cli, part: RefreshPart, flags: RefreshFlags): Promise<void> {
  await checkFlags(cli, part, flags);
  const folder = resolve(flags.catalog ?? join(cli.root, "catalog"));
  const files = await readCatalog(folder);
  checkCatalog(files, folder);
  const nowMs = Date.now();
  const refreshed = await REFRESH[part](cli, { files, folder }, flags, nowMs);
  const { asked, kept } = refreshed;
  if (kept === asked) throw new LandfallError("CATALOG_KEPT", { kept, asked });
  checkCatalog(refreshed.files, "the refreshed catalog");
  const refused = flags.strict === true && kept > 0;
  const image = refused ? null : await publishPart(cli, part, { files: refreshed.files, nowMs }, flags);
  if (!refused && flags.save !== undefined) await saveCatalog(folder, resolve(flags.save), refreshed.changed);
  print(cli, flags, refreshed, image);
  if (refused) cli.note(`landfall: nothing is written, because of --strict: ${String(kept)} of ${String(asked)} are kept\n`);
  cli.exit(refused ? EXIT.denied : EXIT.allowed);
}

/** `landfall catalog refresh`: new figures for the catalog, as a data image. */
export function addRefresh(parent: Command, cli: Cli): void {
  withRefreshOptions(
    parent
      .command("refresh")
      .description(
        `Fetch the providers' public prices (Google's with an API key in ${GOOGLE_KEY}), or carbon profiles, check them, and build a data image.`,
      )
      .addArgument(new Argument("[part]", "what to fetch").choices(REFRESH_PARTS).default("prices")),
  ).action((part: RefreshPart, flags: RefreshFlags) => refresh(cli, part, flags));
}
