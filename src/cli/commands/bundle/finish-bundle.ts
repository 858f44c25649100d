import { readFile, writeFile } from "node:fs/promises";
import type { BuiltBundle } from "../../../bundle/build-bundle.ts";
import { readPrivateKey } from "../../../bundle/signature/read-key.ts";
import { signBundleFiles } from "../../../bundle/signature/sign-bundle-files.ts";
import { type WrittenRelease, writeRelease } from "../../../model/bundle-format/bundle-release.ts";
import { sha256Digest } from "../../../model/sha256.ts";
import type { Cli } from "../../cli.ts";

interface Finish {
  /** Null for a bundle without a version. */
  release: WrittenRelease | null;
  /** A file with a private key (PEM), for opa's own signature. */
  signingKey: string | undefined;
}

/** Writes the release and opa's own signature into a built tarball; its digest changes with them. Throws BUNDLE_KEY. */
export async function finishBundle(cli: Cli, bundle: BuiltBundle, { release, signingKey }: Finish): Promise<void> {
  const replace = async (bytes: Buffer): Promise<void> => {
    await writeFile(bundle.path, bytes);
    bundle.digest = sha256Digest(bytes);
  };
  if (release !== null) await replace(writeRelease(await readFile(bundle.path), release));
  if (signingKey === undefined) return;
  const key = await readPrivateKey(signingKey, cli.env["LANDFALL_KEY_PASSPHRASE"]);
  await replace(signBundleFiles(await readFile(bundle.path), key));
}
