import type { Command } from "commander";
import { openRegistry } from "../../../bundle/registry/open-registry.ts";
import { fetchImage } from "../../../bundle/registry/fetch-image.ts";
import { parseReference, referenceTo } from "../../../bundle/registry/parse-reference.ts";
import { readPrivateKey } from "../../../bundle/signature/read-key.ts";
import { signImage } from "../../../bundle/signature/sign-image.ts";
import { LandfallError } from "../../../errors.ts";
import type { Cli } from "../../cli.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { type RegistryFlags, registryOf, withRegistryOptions } from "../../options/registry-options.ts";

interface SignFlags extends RegistryFlags, OutputFlags {
  key: string;
}

async function sign(cli: Cli, ref: string, options: SignFlags): Promise<void> {
  const key = await readPrivateKey(options.key, cli.env["LANDFALL_KEY_PASSPHRASE"]);
  const reference = parseReference(ref);
  const target = await registryOf(cli, options);
  const registry = await openRegistry(target);
  try {
    const image = await fetchImage(registry, reference);
    if (image === null) throw new LandfallError("BUNDLE_REGISTRY", { ref, detail: "there is no such image" });
    await signImage(target, reference, image, key);
    const signed = referenceTo(reference, image.digest);
    writeResult(cli, options.output, { ref: signed }, () => `${signed}\n`);
  } finally {
    await registry.close();
  }
}

/** `landfall bundle sign`: signs with a key pair, in the format of `cosign verify --key`. */
export function addSign(bundle: Command, cli: Cli): void {
  withRegistryOptions(
    withOutput(bundle.command("sign"))
      .description("Sign an image with a key pair, so that cosign and Landfall verify it.")
      .argument("<ref>", "host[:port]/repository:tag or @sha256:…")
      .requiredOption("--key <file>", "private key (PEM); set LANDFALL_KEY_PASSPHRASE if it is encrypted"),
  ).action((ref: string, options: SignFlags) => sign(cli, ref, options));
}
