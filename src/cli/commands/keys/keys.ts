import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { addList } from "./list.ts";
import { addRemove } from "./remove.ts";
import { addResign } from "./resign.ts";
import { addRotate } from "./rotate.ts";

/** `landfall keys`: the keys that sign decisions. */
export function addKeys(program: Command, cli: Cli): void {
  const keys = program.command("keys").description("List, rotate and remove the keys that sign decisions.");
  for (const add of [addList, addRotate, addRemove, addResign]) add(keys, cli);
}
