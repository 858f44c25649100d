import { join, resolve } from "node:path";
import { Argument, type Command } from "commander";
import { checkCatalog } from "../../../../bundle/catalog/check-catalog.ts";
import { readCatalog } from "../../../../bundle/catalog/read-catalog.ts";
import { LandfallError } from "../../../../errors.ts";
import { type Cli, EXIT } from "../../../cli.ts";
import { writeResult } from "../../../output/write-result.ts";
import { releaseFrom } from "../../bundle/release-options.ts";
import { publishPart, type Published } from "./publish-part.ts";
import { REFRESH_PARTS, type RefreshFlags, type RefreshPart, withRefreshOptions } from "./refresh-options.ts";
import { refreshCarbon } from "./refresh-carbon.ts";
import { refreshPrices } from "./refresh-prices.ts";
import type { Refreshed } from "./refreshed.ts";
import { saveCatalog } from "./save-catalog.ts";
import { GOOGLE_KEY } from "./wanted-places.ts";

const REFRESH = { prices: refreshPrices, carbon: refreshCarbon } as const;

/** Before anything is fetched. Throws CLI_USAGE. */
function checkFlags(flags: RefreshFlags): void {
  releaseFrom(flags);
  if (flags.key !== undefined && flags.push === undefined)
    throw new LandfallError("CLI_USAGE", { detail: "--key signs what --push pushes: give both" });
}

function print(cli: Cli, flags: RefreshFlags, { report, text }: Refreshed, image: Published | null): void {
  const lines = image === null ? [] : [image.path, `revision ${image.revision}`, image.digest, image.pushed ?? ""];
  const ends = lines.filter((line) => line !== "").map((line) => `${line}\n`);
  writeResult(cli, flags.output, { ...report, image }, (isWide) => [text(isWide), ...ends].join(""));
}

async function refresh(cli: Cli, part: RefreshPart, flags: RefreshFlags): Promise<void> {
  checkFlags(flags);
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
