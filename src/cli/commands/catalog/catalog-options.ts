import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { openBundles } from "../../options/open-bundle.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { type RegistryFlags, withRegistryOptions } from "../../options/registry-options.ts";
import { repeated } from "../../options/repeated.ts";
import { type ListColumn, listText } from "../../output/list-text.ts";
import { writeResult } from "../../output/write-result.ts";
import { type CatalogTables, catalogTables } from "./catalog-tables.ts";

/** Options of the commands that list the catalog. */
export interface CatalogFlags extends RegistryFlags, OutputFlags {
  bundle?: string[];
}

/** Adds the options of `CatalogFlags` to a command. */
export const withCatalogOptions = (command: Command): Command =>
  withOutput(withRegistryOptions(command))
    .option("--provider <name>", "only of this provider; may be repeated", repeated)
    .option("--area <code>", "only in EU, EEA, GDPR or a country (ISO 3166); may be repeated", repeated)
    .option(
      "--bundle <ref>",
      "policy bundle: a file or an OCI reference (default: the project's own); repeat for data images and bundles of teams",
      repeated,
    );

/** Reads the catalog and prints what `list` finds in it; a note says that it found nothing. */
export async function printList<T>(
  cli: Cli,
  flags: CatalogFlags,
  list: (tables: CatalogTables) => T[],
  columns: readonly ListColumn<T>[],
): Promise<void> {
  const { bundle, data } = await openBundles(cli, flags);
  const found = list(catalogTables(data, bundle.ref));
  writeResult(cli, flags.output, found, (isWide) => listText(columns, found, isWide, cli.colors));
  if (found.length === 0) cli.note("landfall: nothing in the catalog passes all of these options\n");
}

/** A figure that may be unknown. */
export const figure = (value: number | null | undefined): string => (value == null ? "-" : String(value));
