import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { addKopsExport } from "../kops/export.ts";
import { addPortalExport } from "../krateo-portal/export-portal.ts";

/** `landfall export`: objects and schemas in the format of another tool. */
export function addExport(program: Command, cli: Cli): void {
  const group = program
    .command("export")
    .description("Convert objects and their schemas to the format of another tool.");
  addKopsExport(group, cli);
  addPortalExport(group, cli);
}
