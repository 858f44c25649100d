import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { checkPushed } from "../../../bundle/check-pushed.ts";
import { pushBundle } from "../../../bundle/push-bundle.ts";
import { parseReference } from "../../../bundle/registry/parse-reference.ts";
import { readPrivateKey } from "../../../bundle/signature/read-key.ts";
import { signImage } from "../../../bundle/signature/sign-image.ts";
import { readRelease } from "../../../model/bundle-format/bundle-release.ts";
import type { Cli } from "../../cli.ts";
import { type RegistryFlags, registryOf, withRegistryOptions } from "../../options/registry-options.ts";

async function push(cli: Cli, file: string, ref: string, flags: RegistryFlags & { key?: string }): Promise<void> {
  const target = await registryOf(cli, flags);
  // Read before the push, so that no image is pushed without its signature.
  const passphrase = cli.env["LANDFALL_KEY_PASSPHRASE"];
  const key = flags.key === undefined ? null : await readPrivateKey(flags.key, passphrase);
  checkPushed(await readFile(file), file);
  const pushed = await pushBundle({ ...target, file, ref });
  if (key !== null) await signImage(target, parseReference(ref), pushed, key);
  const { version, expires } = readRelease(await readFile(file), file);
  if (version === null || expires === null)
    cli.note(
      "the bundle has no version or no expiry, so webhooks accept earlier ones: build it with --version and --expires\n",
    );
  cli.write(`${pushed.ref}\n`);
}

/** `landfall bundle push`: pushes a tarball to a registry, as an image that `opa run` can pull too. */
export function addPush(bundle: Command, cli: Cli): void {
  withRegistryOptions(
    bundle
      .command("push")
      .description("Push a tarball to a registry and print its reference by digest.")
      .argument("<file>", "tarball of `landfall bundle build`")
      .argument("<ref>", "host[:port]/repository:tag")
      .option("--key <file>", "sign it with this private key (PEM); set LANDFALL_KEY_PASSPHRASE if it is encrypted"),
  ).action((file: string, ref: string, flags: RegistryFlags & { key?: string }) => push(cli, file, ref, flags));
}
