import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { LandfallError } from "../../../errors.ts";
import { writeRollback } from "../../../model/bundle-format/bundle-release.ts";
import type { Cli } from "../../cli.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { withRegistryOptions } from "../../options/registry-options.ts";
import { type PushFlags, pushSigned } from "./push-signed.ts";
import { type ReleaseFlags, releaseFrom, withReleaseOptions } from "./release-options.ts";

interface Options extends PushFlags, ReleaseFlags, OutputFlags {
  to: string;
}

async function rollback(cli: Cli, ref: string, options: Options): Promise<void> {
  const release = releaseFrom(options);
  if (release === null) throw new LandfallError("CLI_USAGE", { detail: "a rollback needs --version" });
  if (!/^sha256:[0-9a-f]{64}$/.test(options.to))
    throw new LandfallError("CLI_USAGE", { detail: `--to ${options.to} is not the digest of an image (sha256:…)` });
  const folder = await mkdtemp(join(tmpdir(), "landfall-rollback-"));
  try {
    const file = join(folder, "rollback.tar.gz");
    await writeFile(file, writeRollback({ ...release, rollback: options.to }));
    const pushed = await pushSigned(cli, file, ref, options);
    writeResult(cli, options.output, { ref: pushed, ...release }, () => `${pushed}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `landfall bundle rollback`: pushes a bundle that names an earlier one, which webhooks then use. */
export function addRollback(bundle: Command, cli: Cli): void {
  const command = withOutput(bundle.command("rollback"))
    .description(
      "Push a bundle that goes back to an earlier image of the same repository. Print its reference by digest.",
    )
    .argument("<ref>", "host[:port]/repository:tag")
    .requiredOption("--to <digest>", "the earlier image: sha256:…")
    .option("--key <file>", "sign it with this private key (PEM); set LANDFALL_KEY_PASSPHRASE if it is encrypted");
  withRegistryOptions(withReleaseOptions(command)).action((ref: string, options: Options) =>
    rollback(cli, ref, options),
  );
}
