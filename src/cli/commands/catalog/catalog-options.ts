import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { requireOutput, writeValue } from "../../options/decision-options.ts";
import { openBundles } from "../../options/open-bundle.ts";
import { type RegistryFlags, withRegistryOptions } from "../../options/registry-options.ts";
import { repeated } from "../../options/repeated.ts";
import { type Column, plainTable } from "../../output/plain-table.ts";
import { type CatalogTables, catalogTables } from "./catalog-tables.ts";

/** Options of the commands that list the catalog. */
export interface CatalogFlags extends RegistryFlags {
  bundle?: string[];
  output: string;
}

/** A column of a table: its head, and a value's text. The third entry is true for columns of `-o wide` alone. */
export type ListColumn<T> = readonly [column: Column, text: (value: T) => string, wide?: true];

/** Adds the options of `CatalogFlags` to a command. */
export const withCatalogOptions = (command: Command): Command =>
  withRegistryOptions(command)
    .option("--provider <name>", "only of this provider; may be repeated", repeated)
    .option("--area <code>", "only in EU, EEA, GDPR or a country (ISO 3166); may be repeated", repeated)
    .option("-o, --output <format>", "table, wide, json or yaml", "table")
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
  requireOutput(flags, ["table", "wide", "json", "yaml"]);
  const { bundle, data } = await openBundles(cli, flags);
  const found = list(catalogTables(data, bundle.ref));
  if (flags.output === "json" || flags.output === "yaml") writeValue(cli, found, flags.output);
  else if (found.length > 0) {
    const shown = columns.filter(([, , wide]) => wide !== true || flags.output === "wide");
    const rows = found.map((value) => shown.map(([, text]) => text(value)));
    const lines = plainTable(
      shown.map(([column]) => column),
      rows,
      cli.colors,
    );
    cli.write(`${lines.join("\n")}\n`);
  }
  if (found.length === 0) cli.note("landfall: nothing in the catalog passes all of these options\n");
}

/** A figure that may be unknown. */
export const figure = (value: number | null | undefined): string => (value == null ? "-" : String(value));
