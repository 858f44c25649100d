import type { Command } from "commander";
import type { RegistryOptions } from "../../bundle/registry/registry-options.ts";
import type { Cli } from "../cli.ts";

/** Options of every command that accesses a registry. */
export interface RegistryFlags {
  plainHttp?: boolean;
  ca?: string;
}

/** Adds the options of `RegistryFlags` to a command. */
export function withRegistryOptions(command: Command): Command {
  return command
    .option("--plain-http", "the registry speaks HTTP without TLS")
    .option("--ca <file>", "CA of the registry's certificate (PEM), in addition to the system's CAs");
}

/** Options for the registry; credentials come from the docker configuration. */
export async function registryOf(
  { env }: Cli,
  { plainHttp, ca }: RegistryFlags,
): Promise<RegistryOptions & { crane: string }> {
  // Few of the commands with these options read a registry.
  const { toolPath } = await import("../../toolchain/tool-path.ts");
  return { crane: await toolPath("crane"), plainHttp, ca, env };
}
