import type { Command } from "commander";
import { LandfallError } from "../../../errors.ts";
import type { WrittenRelease } from "../../../model/bundle-format/bundle-release.ts";
import { formatTime, parseDuration, parseTime } from "../../../model/time.ts";

export interface ReleaseFlags {
  version?: string;
  expires?: string;
}

/** RFC 3339. A duration counts from now. */
function expiryOf(text: string): string {
  const seconds = parseDuration(text);
  const at = seconds === null ? parseTime(text) : Math.floor(Date.now() / 1000) + seconds;
  if (at !== null) return formatTime(at);
  throw new LandfallError("CLI_USAGE", {
    detail: `--expires ${text} is neither a time (RFC 3339) nor a duration like 90d`,
  });
}

/** The release that the flags name; null for none. Throws CLI_USAGE. */
export function releaseFrom({ version, expires }: ReleaseFlags): WrittenRelease | null {
  if (version === undefined && expires === undefined) return null;
  const number = Number(version);
  if (version === undefined || !/^\d{1,15}$/.test(version) || number < 1)
    throw new LandfallError("CLI_USAGE", { detail: `--version ${version ?? ""} is not a whole number above 0` });
  return { version: number, ...(expires === undefined ? {} : { expires: expiryOf(expires) }) };
}

/** Adds --version and --expires. */
export const withReleaseOptions = (command: Command): Command =>
  command
    .option("--version <number>", "webhooks refuse a bundle whose version is not above the earlier ones")
    .option("--expires <time>", "when it must be replaced: a time (RFC 3339), or a duration from now like 90d");
