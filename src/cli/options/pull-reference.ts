import { isFile } from "../../bundle/is-file.ts";
import { type PulledBundle, pullBundle } from "../../bundle/pull-bundle.ts";
import type { Cli } from "../cli.ts";
import { type RegistryFlags, registryOf } from "./registry-options.ts";

/** The bundle of a reference. Only a registry needs crane: a file is read without it. Throws what `pullBundle` throws, TOOL_MISSING. */
export async function pullReference(cli: Cli, flags: RegistryFlags, ref: string): Promise<PulledBundle> {
  const registry = (await isFile(ref)) ? {} : await registryOf(cli, flags);
  return pullBundle({ ...registry, ref });
}
