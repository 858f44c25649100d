import type { Command } from "commander";
import { LandfallError } from "../../../errors.ts";
import { isChannel, type WrittenRelease } from "../../../model/bundle-format/bundle-release.ts";
import { formatTime, nowSeconds, parseDuration, parseTime } from "../../../model/time.ts";

export interface ReleaseFlags {
  version?: string;
  expires?: string;
  channel?: string;
}

/** RFC 3339. A duration counts from now. */
function expiryOf(text: string): string {
  const seconds = parseDuration(text);
  const at = seconds === null ? parseTime(text) : nowSeconds() + seconds;
  if (at !== null && at <= nowSeconds())
    throw new LandfallError("CLI_USAGE", { detail: `--expires ${text} is over: write e.g. --expires 90d` });
  if (at !== null) return formatTime(at);
  throw new LandfallError("CLI_USAGE", {
    detail: `--expires ${text} is neither a time (RFC 3339) nor a duration: write e.g. --expires ${/^\d{1,4}$/.test(text) ? text : "90"}d`,
  });
}

function channelOf(text: string): string {
  const valid: boolean = isChannel(text);
  if (valid) return text;
  throw new LandfallError("CLI_USAGE", { detail: `--channel ${text} is not a name of letters, digits, _ . / and -` });
}

/** The release that the flags name; null for none. Throws CLI_USAGE. */
export function releaseFrom({ version, expires, channel }: ReleaseFlags): WrittenRelease | null {
  if ([version, expires, channel].every((flag) => flag === undefined)) return null;
  const number = Number(version);
  if (version === undefined) {
    const given = expires === undefined ? "--channel" : "--expires";
    throw new LandfallError("CLI_USAGE", { detail: `${given} needs --version: add e.g. --version 7` });
  }
  if (!/^\d{1,15}$/.test(version) || number < 1)
    throw new LandfallError("CLI_USAGE", {
      detail: `--version ${version} is not a whole number above 0: write e.g. --version 7`,
    });
  return {
    version: number,
    ...(expires === undefined ? {} : { expires: expiryOf(expires) }),
    ...(channel === undefined ? {} : { channel: channelOf(channel) }),
  };
}

/** Adds --version, --expires and --channel. */
export const withReleaseOptions = (command: Command): Command =>
  command
    .option("--version <number>", "webhooks refuse a bundle whose version is not above the earlier ones")
    .option("--expires <time>", "when it must be replaced: a time (RFC 3339), or a duration from now like 90d")
    .option("--channel <name>", "for whom it is, for example dev or prod: settings with another channel refuse it");
