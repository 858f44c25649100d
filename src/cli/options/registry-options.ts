import type { Command } from "commander";
import type { RegistryOptions } from "../../bundle/registry/registry-options.ts";
import type { Cli } from "../cli.ts";

/** Options of every command that accesses a registry. */
export interface RegistryFlags {
  plainHttp?: boolean;
  /** Registries (`host:port`) that speak HTTP without TLS, where the others speak TLS. */
  plainHttpHost?: readonly string[];
  ca?: string;
}

/** Adds the options of `RegistryFlags` to a command. */
export function withRegistryOptions(command: Command): Command {
  return command
    .option("--plain-http", "the registry speaks HTTP without TLS")
    .option("--ca <file>", "CA of the registry's certificate (PEM), in addition to the system's CAs");
}

/** The options for the registry of one reference. */
export function flagsFor<T extends RegistryFlags>(flags: T, ref: string): T {
  const isPlain = (flags.plainHttpHost ?? []).some((host) => ref.startsWith(`${host}/`));
  return isPlain ? { ...flags, plainHttp: true } : flags;
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
