import { readFile } from "node:fs/promises";
import { checkPushed } from "../../../bundle/check-pushed.ts";
import { pushBundle } from "../../../bundle/push-bundle.ts";
import { parseReference } from "../../../bundle/registry/parse-reference.ts";
import { readPrivateKey } from "../../../bundle/signature/read-key.ts";
import { signImage } from "../../../bundle/signature/sign-image.ts";
import { badInput, unusable } from "../../objects/read-documents.ts";
import type { Cli } from "../../cli.ts";
import { type RegistryFlags, registryOf } from "../../options/registry-options.ts";
import { checkNewer } from "./check-newer.ts";

export interface PushFlags extends RegistryFlags {
  /** A file with the private key (PEM) that the image is signed with; omitted for no signature. */
  key?: string;
  /** Also in place of a bundle with a higher version. */
  force?: boolean;
}

/** Throws CLI_INPUT for a file that cannot be read, also where file and reference changed places. */
async function readTarball(file: string, ref: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (thrown) {
    if (!/\.(?:tar|tgz|gz)$/.test(ref) || /\.(?:tar|tgz|gz)$/.test(file)) throw unusable(file, thrown);
    throw badInput(file, "there is no such file", `write the file first: landfall bundle push ${ref} ${file}`, thrown);
  }
}

/** Pushes a tarball and signs the image, or notes that it does not; the result is its reference by digest. Throws BUNDLE_…, POL_SETTINGS. */
export async function pushSigned(cli: Cli, file: string, ref: string, flags: PushFlags): Promise<string> {
  const target = await registryOf(cli, flags);
  // Read before the push, so that no image is pushed without its signature.
  const passphrase = cli.env["LANDFALL_KEY_PASSPHRASE"];
  const key = flags.key === undefined ? null : await readPrivateKey(flags.key, passphrase);
  const bytes = await readTarball(file, ref);
  checkPushed(bytes, file);
  if (flags.force !== true) await checkNewer(cli, target, ref, bytes);
  const pushed = await pushBundle({ ...target, file, ref });
  if (key !== null) await signImage(target, parseReference(ref), pushed, key);
  else
    cli.note(
      "it is not signed: webhooks refuse it unless their settings say otherwise. Sign it with --key, or with cosign sign\n",
    );
  return pushed.ref;
}
