import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { addCheck } from "./check.ts";
import { addRefresh } from "./refresh/refresh.ts";

/** `landfall catalog`: the figures that decisions are made from. */
export function addCatalog(program: Command, cli: Cli): void {
  const catalog = program.command("catalog").description("Check and refresh the catalog of places, machine types and prices.");
  for (const add of [addCheck, addRefresh]) add(catalog, cli);
}
