import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { pullBundle } from "../../../bundle/pull-bundle.ts";
import { messageOf } from "../../../errors.ts";
import type { Cli } from "../../cli.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { badInput } from "../../objects/read-documents.ts";
import { type RegistryFlags, registryOf, withRegistryOptions } from "../../options/registry-options.ts";

interface PullFlags extends RegistryFlags, OutputFlags {
  out: string;
}

async function pull(cli: Cli, ref: string, flags: PullFlags): Promise<void> {
  const { bytes, digest } = await pullBundle({ ...(await registryOf(cli, flags)), ref });
  try {
    await writeFile(flags.out, bytes);
  } catch (thrown) {
    throw badInput(flags.out, messageOf(thrown), "give --out a file that can be written", thrown);
  }
  writeResult(cli, flags.output, { file: flags.out, digest }, () => `${flags.out}\n${digest}\n`);
}

/** `landfall bundle pull`: fetches an image's tarball and verifies its digest. */
export function addPull(bundle: Command, cli: Cli): void {
  withRegistryOptions(
    withOutput(bundle.command("pull"))
      .description("Fetch the tarball of an image and check its digest.")
      .argument("<ref>", "host[:port]/repository:tag or @sha256:…")
      .option("--out <file>", "the file to write", "bundle.tar.gz"),
  ).action((ref: string, flags: PullFlags) => pull(cli, ref, flags));
}
