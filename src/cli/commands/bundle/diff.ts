import type { Command } from "commander";
import { pullReference } from "../../options/pull-reference.ts";
import type { BundleDifference, ValueChange } from "../../../policy/compare-bundles.ts";
import { compareApart } from "../../../policy/process/read-apart.ts";
import type { Cli } from "../../cli.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { type RegistryFlags, withRegistryOptions } from "../../options/registry-options.ts";

/** Limit of shown differences: a catalog has tens of thousands of values. */
const SHOWN = 40;

const LONGEST = 60;

function shown(value: unknown, longest: number): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const changeText = ({ path, before, after }: ValueChange, longest: number): string =>
  `${path}: ${shown(before, longest)} -> ${shown(after, longest)}`;

function lines({ revision, files, data }: BundleDifference, isWide: boolean, { colors }: Cli): string[] {
  const list = (mark: string, names: readonly string[], paint: (text: string) => string): string[] =>
    names.map((name) => paint(`${mark} ${name}`));
  const [most, longest] = isWide ? [data.length, Infinity] : [SHOWN, LONGEST];
  const more = data.length > most ? [`… and ${String(data.length - most)} more values (-o wide shows all)`] : [];
  return [
    `revision ${revision.before} -> ${revision.after}`,
    ...list("+", files.added, colors.green),
    ...list("-", files.removed, colors.red),
    ...list("~", files.changed, colors.yellow),
    ...data.slice(0, most).map((change) => `  ${changeText(change, longest)}`),
    ...more,
  ];
}

async function diff(cli: Cli, refs: [string, string], flags: RegistryFlags & OutputFlags): Promise<void> {
  const [before, after] = await Promise.all(
    refs.map(async (ref) => ({ ref, bytes: (await pullReference(cli, flags, ref)).bytes })),
  );
  if (before === undefined || after === undefined) return;
  const difference = await compareApart(before, after, { env: cli.env });
  writeResult(cli, flags.output, difference, (isWide) => `${lines(difference, isWide, cli).join("\n")}\n`);
}

/** `landfall bundle diff`: the differences between two bundles. */
export function addDiff(bundle: Command, cli: Cli): void {
  withRegistryOptions(
    withOutput(bundle.command("diff"))
      .description("Show which files and which values differ between two bundles.")
      .argument("<before>", "a file or an OCI reference")
      .argument("<after>", "a file or an OCI reference"),
  ).action((before: string, after: string, flags: RegistryFlags & OutputFlags) => diff(cli, [before, after], flags));
}
