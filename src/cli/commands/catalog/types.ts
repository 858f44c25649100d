import type { Command } from "commander";
import { amountOf, whole } from "../../../flags/option-values.ts";
import type { Cli } from "../../cli.ts";
import { repeated } from "../../options/repeated.ts";
import { type CatalogFlags, figure, printList, withCatalogOptions } from "./catalog-options.ts";
import { archOf } from "./arch-of.ts";
import type { ListColumn } from "../../output/list-text.ts";
import { type ListedType, listTypes, type TypeFilter } from "./list-types.ts";

const MOST = 100_000;

const COLUMNS: ListColumn<ListedType>[] = [
  [["TYPE"], ({ type }) => type],
  [["PROVIDER"], ({ provider }) => provider],
  [["VCPU", "right"], ({ vcpus }) => String(vcpus)],
  [["GIB", "right"], ({ memoryGiB }) => String(memoryGiB)],
  [["GPU", "right"], ({ gpus }) => String(gpus)],
  [["ARCH"], ({ arch }) => arch, true],
  [["FAMILY"], ({ family }) => family, true],
  [["CLASS"], (type) => type.class, true],
  [["USD/H", "right"], ({ pricePerHour }) => figure(pricePerHour)],
  [["CHEAPEST IN"], ({ pricePerHour, cheapestPlace }) => (pricePerHour === null ? "-" : (cheapestPlace ?? "-"))],
  [["PRICE OF"], ({ priceDate }) => priceDate ?? "-"],
  [["PLACES", "right"], ({ places }) => String(places)],
];

/** `landfall types`: the machine types of the catalog. */
export function addTypes(program: Command, cli: Cli): void {
  withCatalogOptions(
    program
      .command("types")
      .description("List the catalog's machine types, cheapest first. Needs no cluster.")
      .option("--cpu <number>", "at least this many vCPUs", whole(1, MOST))
      .option("--memory <GiB>", "at least this much memory", amountOf("GiB"))
      .option("--gpu <number>", "at least this many GPUs; 0 for types without", whole(0, MOST))
      .option("--arch <name>", "only of this architecture: amd64 or arm64", archOf)
      .option("--family <name>", "only of this family; may be repeated", repeated)
      .option("--place <provider/region>", "only what this place offers, at its price; may be repeated", repeated),
  ).action((flags: CatalogFlags & TypeFilter) =>
    printList(cli, flags, (tables) => listTypes(tables, flags), COLUMNS),
  );
}
