import type { Command } from "commander";
import type { UsedBundle } from "../../../bundle/pull-bundle.ts";
import { formatTime } from "../../../model/time.ts";
import { pullReference } from "../../options/pull-reference.ts";
import type { BundleDescription } from "../../../policy/describe-bundle.ts";
import { describeApart } from "../../../policy/process/read-apart.ts";
import type { Cli } from "../../cli.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { type RegistryFlags, withRegistryOptions } from "../../options/registry-options.ts";

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

function datedRows({ date, freshHours }: BundleDescription): [string, string][] {
  if (date === null) return [];
  return [["date", freshHours === null ? date : `${date}, fresh for ${String(freshHours)} hours`]];
}

interface Inspected extends BundleDescription {
  digest: string;
  /** Null for a file. */
  image: string | null;
  /** The rollback to this bundle that the reference names; null if it names the bundle itself. */
  rollback: { image: string | null; version: number | null; expires: string | null; channel: string | null } | null;
}

const versionRow = (version: number | null): [string, string] => [
  "version",
  version === null ? "none" : String(version),
];
const expiryRow = (expires: string | null): [string, string] => ["expires", expires ?? "never"];

function rollbackRows({ rollback, image }: Inspected): [string, string][] {
  if (rollback === null) return [];
  const own: [string, string][] = [
    ["rollback", `to ${image ?? ""}`],
    versionRow(rollback.version),
    expiryRow(rollback.expires),
    ["channel", rollback.channel ?? "any"],
    ["image", rollback.image ?? ""],
  ];
  return own.map(([title, about], index) => [index === 0 ? title : `  ${title}`, about]);
}

/** `isWide` lists the files. */
function text(inspected: Inspected, isWide: boolean, { colors }: Cli): string {
  const { kind, name, revision, version, expires, digest, image, size, files, entrypoints, roots, data } = inspected;
  const listed = Object.entries(files);
  const rows: [string, string][] = [
    ...rollbackRows(inspected),
    ["kind", name === null ? kind : `${kind} ${name}`],
    ["revision", revision],
    versionRow(version),
    expiryRow(expires),
    ["digest", digest],
    ["image", image ?? "none: it is a file"],
    ["size", `${kilobytes(size)} in ${String(listed.length)} files`],
    ["entrypoints", entrypoints.join(", ") || "none: it holds data"],
    ["roots", roots.join(", ")],
    ...datedRows(inspected),
  ];
  const lines = rows.map(([title, about]) => `${colors.dim(title.padEnd(12))}${about}`);
  const section = (title: string, entries: readonly string[]): string[] =>
    entries.length === 0 ? [] : [colors.dim(title), ...entries.map((entry) => `  ${entry}`)];
  const dates = Object.entries(data).map(([source, date]) => `${source}: ${date}`);
  const sizes = isWide ? listed.map(([file, bytes]) => `${file}: ${kilobytes(bytes)}`) : [];
  return `${[...lines, ...section("data", dates), ...section("files", sizes)].join("\n")}\n`;
}

function rollbackOf({ rollback }: UsedBundle): Inspected["rollback"] {
  if (rollback === null) return null;
  const { image, version, expires, channel } = rollback;
  return { image, version, expires: expires === null ? null : formatTime(expires), channel };
}

async function inspect(cli: Cli, ref: string, flags: RegistryFlags & OutputFlags): Promise<void> {
  const pulled = await pullReference(cli, flags, ref);
  const described = await describeApart({ bytes: pulled.bytes, ref }, { env: cli.env });
  const value = { ref, digest: pulled.digest, image: pulled.image, rollback: rollbackOf(pulled), ...described };
  writeResult(cli, flags.output, value, (isWide) => text(value, isWide, cli));
}

/** `landfall bundle inspect`: a bundle's content and the age of its data. */
export function addInspect(bundle: Command, cli: Cli): void {
  withRegistryOptions(
    withOutput(bundle.command("inspect"))
      .description("Show revision, digests, entrypoints, the dates of the data and the size of a bundle.")
      .argument("<ref>", "a file or an OCI reference"),
  ).action((ref: string, flags: RegistryFlags & OutputFlags) => inspect(cli, ref, flags));
}
