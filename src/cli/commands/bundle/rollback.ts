import { createPublicKey } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { pullTarget } from "../../../bundle/pull-bundle.ts";
import { openRegistry, type Registry } from "../../../bundle/registry/open-registry.ts";
import { parseReference, type Reference, referenceTo } from "../../../bundle/registry/parse-reference.ts";
import { readPrivateKey } from "../../../bundle/signature/read-key.ts";
import { verifyImage } from "../../../bundle/signature/verify-image.ts";
import { asLandfallError, LandfallError } from "../../../errors.ts";
import { writeRollback } from "../../../model/bundle-format/bundle-release.ts";
import { describeApart } from "../../../policy/process/read-apart.ts";
import type { Cli } from "../../cli.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { registryOf, withRegistryOptions } from "../../options/registry-options.ts";
import { type PushFlags, pushSigned } from "./push-signed.ts";
import { type ReleaseFlags, releaseFrom, withReleaseOptions } from "./release-options.ts";

interface Options extends PushFlags, ReleaseFlags, OutputFlags {
  to: string;
}

/** Throws BUNDLE_UNSIGNED for a target without a signature; notes one that this key did not sign, since webhooks can trust its signer. */
async function checkSigner(cli: Cli, registry: Registry, reference: Reference, { to, key }: Options): Promise<void> {
  if (key === undefined) return;
  const own = createPublicKey(await readPrivateKey(key, cli.env["LANDFALL_KEY_PASSPHRASE"]));
  try {
    await verifyImage(registry, reference, to, { mode: "required", keys: [own], identities: [], root: null });
  } catch (thrown) {
    const { code, line } = asLandfallError(thrown);
    if (code !== "BUNDLE_SIGNATURE") throw thrown;
    cli.note(
      `landfall: ${key} did not sign the earlier image, so webhooks use it only if they trust its signer: ${line}\n`,
    );
  }
}

/** Webhooks refuse a rollback to what they cannot use, and new replicas then have no bundle. Throws BUNDLE_… */
async function checkTarget(cli: Cli, ref: string, options: Options): Promise<void> {
  const reference = parseReference(ref);
  const target = referenceTo(reference, options.to);
  const registry = await openRegistry(await registryOf(cli, options));
  try {
    const { bytes } = await pullTarget(registry, reference, options.to);
    const { expires } = await describeApart({ bytes, ref: target }, { env: cli.env });
    if (expires !== null && Date.parse(expires) <= Date.now())
      throw new LandfallError("BUNDLE_ROLLBACK", { ref: target, detail: `it expired on ${expires}` });
    await checkSigner(cli, registry, reference, options);
  } finally {
    await registry.close();
  }
}

async function rollback(cli: Cli, ref: string, options: Options): Promise<void> {
  const release = releaseFrom(options);
  if (release === null) throw new LandfallError("CLI_USAGE", { detail: "a rollback needs --version" });
  if (!/^sha256:[0-9a-f]{64}$/.test(options.to))
    throw new LandfallError("CLI_USAGE", { detail: `--to ${options.to} is not the digest of an image (sha256:…)` });
  await checkTarget(cli, ref, options);
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
