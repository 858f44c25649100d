import type { Command } from "commander";
import { pullBundle } from "../../../bundle/pull-bundle.ts";
import { type BundleDescription, describeBundle } from "../../../policy/describe-bundle.ts";
import type { Cli } from "../../cli.ts";
import { requireOutput, writeValue } from "../../options/decision-options.ts";
import { type RegistryFlags, registryOf, withRegistryOptions } from "../../options/registry-options.ts";

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

function datedRows({ date, freshHours }: BundleDescription): [string, string][] {
  if (date === null) return [];
  return [["date", freshHours === null ? date : `${date}, fresh for ${String(freshHours)} hours`]];
}

async function inspect(cli: Cli, ref: string, flags: RegistryFlags & { output: string }): Promise<void> {
  requireOutput(flags, ["text", "json", "yaml"]);
  const pulled = await pullBundle({ ...(await registryOf(cli, flags)), ref });
  const described = await describeBundle(pulled.bytes, ref);
  const value = { ref, digest: pulled.digest, image: pulled.image, ...described };
  if (flags.output !== "text") {
    writeValue(cli, value, flags.output);
    return;
  }
  const rows: [string, string][] = [
    ["kind", described.name === null ? described.kind : `${described.kind} ${described.name}`],
    ["revision", described.revision],
    ["version", described.version === null ? "none" : String(described.version)],
    ["expires", described.expires ?? "never"],
    ["digest", pulled.digest],
    ["image", pulled.image ?? "none: it is a file"],
    ["size", `${kilobytes(described.size)} in ${String(Object.keys(described.files).length)} files`],
    ["entrypoints", described.entrypoints.join(", ") || "none: it holds data"],
    ["roots", described.roots.join(", ")],
    ...datedRows(described),
  ];
  for (const [name, text] of rows) cli.write(`${cli.colors.dim(name.padEnd(12))}${text}\n`);
  if (Object.keys(described.data).length > 0) cli.write(`${cli.colors.dim("data")}\n`);
  for (const [name, date] of Object.entries(described.data)) cli.write(`  ${name}: ${date}\n`);
}

/** `landfall bundle inspect`: a bundle's content and the age of its data. */
export function addInspect(bundle: Command, cli: Cli): void {
  withRegistryOptions(
    bundle
      .command("inspect")
      .description("Show revision, digests, entrypoints, the dates of the data and the size of a bundle.")
      .argument("<ref>", "a file or an OCI reference")
      .option("-o, --output <format>", "text, json or yaml", "text"),
  ).action((ref: string, flags: RegistryFlags & { output: string }) => inspect(cli, ref, flags));
}
