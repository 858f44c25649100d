import type { Command } from "commander";
import { pullBundle } from "../../../bundle/pull-bundle.ts";
import { type BundleDifference, compareBundles, type ValueChange } from "../../../policy/compare-bundles.ts";
import type { Cli } from "../../cli.ts";
import { requireOutput, writeValue } from "../../options/decision-options.ts";
import { type RegistryFlags, registryOf, withRegistryOptions } from "../../options/registry-options.ts";

/** Limit of shown differences: a catalog has tens of thousands of values. */
const SHOWN = 40;

const LONGEST = 60;

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const changeText = ({ path, before, after }: ValueChange): string => `${path}: ${shown(before)} -> ${shown(after)}`;

function lines({ revision, files, data }: BundleDifference, { colors }: Cli): string[] {
  const list = (mark: string, names: readonly string[], paint: (text: string) => string): string[] =>
    names.map((name) => paint(`${mark} ${name}`));
  const more = data.length > SHOWN ? [`… and ${String(data.length - SHOWN)} more values (-o json shows all)`] : [];
  return [
    `revision ${revision.before} -> ${revision.after}`,
    ...list("+", files.added, colors.green),
    ...list("-", files.removed, colors.red),
    ...list("~", files.changed, colors.yellow),
    ...data.slice(0, SHOWN).map((change) => `  ${changeText(change)}`),
    ...more,
  ];
}

async function diff(cli: Cli, refs: [string, string], flags: RegistryFlags & { output: string }): Promise<void> {
  requireOutput(flags, ["text", "json"]);
  const registry = await registryOf(cli, flags);
  const [before, after] = await Promise.all(
    refs.map(async (ref) => ({ ref, bytes: (await pullBundle({ ...registry, ref })).bytes })),
  );
  if (before === undefined || after === undefined) return;
  const difference = compareBundles(before, after);
  if (flags.output === "json") writeValue(cli, difference, "json");
  else cli.write(`${lines(difference, cli).join("\n")}\n`);
}

/** `landfall bundle diff`: the differences between two bundles. */
export function addDiff(bundle: Command, cli: Cli): void {
  withRegistryOptions(
    bundle
      .command("diff")
      .description("Show which files and which values differ between two bundles.")
      .argument("<before>", "a file or an OCI reference")
      .argument("<after>", "a file or an OCI reference")
      .option("-o, --output <format>", "text or json", "text"),
  ).action((before: string, after: string, flags: RegistryFlags & { output: string }) =>
    diff(cli, [before, after], flags),
  );
}
