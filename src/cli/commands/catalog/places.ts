import type { Command } from "commander";
import { amountOf } from "../../../flags/option-values.ts";
import type { Cli } from "../../cli.ts";
import { type CatalogFlags, figure, printList, withCatalogOptions } from "./catalog-options.ts";
import type { ListColumn } from "../../output/list-text.ts";
import { type ListedPlace, listPlaces, type PlaceFilter } from "./list-places.ts";

function columns({ of, type }: PlaceFilter): ListColumn<ListedPlace>[] {
  const latency: ListColumn<ListedPlace>[] = [
    [["MS", "right"], ({ latency }) => figure(latency?.ms)],
    [["KNOWN AS"], ({ latency }) => latency?.source ?? "unknown"],
  ];
  const price: ListColumn<ListedPlace>[] = [
    [["USD/H", "right"], ({ pricePerHour }) => figure(pricePerHour)],
    [["PRICE OF"], (place) => place.priceDate ?? "-"],
  ];
  return [
    [["PLACE"], ({ place }) => place],
    [["COUNTRY"], ({ country }) => country],
    [["AREAS"], ({ areas }) => areas.join(",") || "-", true],
    [["ZONE"], ({ zone }) => zone ?? "-", true],
    [["GRID"], ({ electricityZone }) => electricityZone ?? "-"],
    [["G CO2E/KWH", "right"], ({ carbonIntensity }) => figure(carbonIntensity)],
    ...(of === undefined ? [] : latency),
    ...(type === undefined ? [] : price),
  ];
}

/** `landfall places`: the places of the catalog. */
export function addPlaces(program: Command, cli: Cli): void {
  withCatalogOptions(
    program
      .command("places")
      .description("List the catalog's places, with their grid and round trips. Needs no cluster.")
      .option("--of <provider/region>", "show round trips from this place, nearest first")
      .option("--within-latency <ms>", "only within this round trip; needs --of", amountOf("ms"))
      .option("--type <name>", "only where this machine type is offered, with its price"),
  ).action((flags: CatalogFlags & PlaceFilter) =>
    printList(cli, flags, (tables) => listPlaces(tables, flags), columns(flags)),
  );
}
