import { isFile } from "../../bundle/is-file.ts";
import { pullUsed, type UsedBundle } from "../../bundle/pull-bundle.ts";
import type { Cli } from "../cli.ts";
import { type RegistryFlags, registryOf } from "./registry-options.ts";

/**
 * The bundle of a reference; of a rollback the one that it goes back to, with a note. Only a registry needs crane: a file is read
 * without it. Throws what `pullUsed` throws, TOOL_MISSING.
 */
export async function pullReference(cli: Cli, flags: RegistryFlags, ref: string): Promise<UsedBundle> {
  const registry = (await isFile(ref)) ? {} : await registryOf(cli, flags);
  const used = await pullUsed({ ...registry, ref });
  if (used.rollback !== null) {
    const { version, rollback } = used.rollback;
    cli.note(`landfall: ${ref} is a rollback with version ${String(version)}: its bundle is ${String(rollback)}\n`);
  }
  return used;
}
