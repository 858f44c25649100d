import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { readRelease } from "../../../model/bundle-format/bundle-release.ts";
import { formatTime } from "../../../model/time.ts";
import { isOther } from "../../../policy/read-other.ts";
import type { Cli } from "../../cli.ts";
import { notePushed } from "../../options/last-pushed.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { withRegistryOptions } from "../../options/registry-options.ts";
import { writeResult } from "../../output/write-result.ts";
import { type PushFlags, pushSigned } from "./push-signed.ts";

async function push(cli: Cli, file: string, ref: string, flags: PushFlags & OutputFlags): Promise<void> {
  const pushed = await pushSigned(cli, file, ref, flags);
  const bytes = await readFile(file);
  const { version, expires } = readRelease(bytes, file);
  if (!isOther(bytes, file)) await notePushed(cli, pushed);
  if (version === null || expires === null)
    cli.note(
      "the bundle has no version or no expiry, so webhooks accept earlier ones: build it with --version and --expires\n",
    );
  const expiry = expires === null ? null : formatTime(expires);
  writeResult(cli, flags.output, { ref: pushed, version, expires: expiry }, () => `${pushed}\n`);
}

/** `landfall bundle push`: pushes a tarball to a registry, as an image that `opa run` can pull too. */
export function addPush(bundle: Command, cli: Cli): void {
  withRegistryOptions(
    withOutput(bundle.command("push"))
      .description("Push a tarball to a registry and print its reference by digest.")
      .argument("<file>", "tarball of `landfall bundle build`")
      .argument("<ref>", "host[:port]/repository:tag")
      .option("--key <file>", "sign it with this private key (PEM); set LANDFALL_KEY_PASSPHRASE if it is encrypted")
      .option("--force", "push it in place of a bundle with a higher version, which no webhook has used"),
  ).action((file: string, ref: string, flags: PushFlags & OutputFlags) => push(cli, file, ref, flags));
}
