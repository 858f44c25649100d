import type { Command } from "commander";
import { fetchVerified, readVerified, type VerifiedBundle } from "../../../bundle/fetch-verified.ts";
import { isFile } from "../../../bundle/is-file.ts";
import { pullTarget } from "../../../bundle/pull-bundle.ts";
import { openRegistry, type Registry } from "../../../bundle/registry/open-registry.ts";
import { fetchImage } from "../../../bundle/registry/fetch-image.ts";
import { parseReference, type Reference, referenceTo } from "../../../bundle/registry/parse-reference.ts";
import { readSettings, readTrustRoot } from "../../../bundle/read-settings.ts";
import { readPublicKey } from "../../../bundle/signature/read-key.ts";
import type { Trust } from "../../../bundle/signature/trust.ts";
import { verifyFiles } from "../../../bundle/signature/verify-files.ts";
import { verifyImage } from "../../../bundle/signature/verify-image.ts";
import { LandfallError } from "../../../errors.ts";
import { readRelease } from "../../../model/bundle-format/bundle-release.ts";
import type { Cli } from "../../cli.ts";
import { repeated } from "../../options/repeated.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { type RegistryFlags, registryOf, withRegistryOptions } from "../../options/registry-options.ts";

interface Options extends RegistryFlags, OutputFlags {
  key?: string[];
  identity?: string;
  issuer?: string;
  trustRoot?: string;
  settings?: string;
}

async function trustOf({ key = [], identity, issuer, trustRoot, settings }: Options): Promise<Trust> {
  if (settings !== undefined) return (await readSettings(settings)).trust;
  if ((identity === undefined) !== (issuer === undefined))
    throw new LandfallError("CLI_USAGE", { detail: "--identity and --issuer belong together" });
  if (key.length === 0 && identity === undefined)
    throw new LandfallError("CLI_USAGE", { detail: "give --key, --identity with --issuer, or --settings" });
  return {
    mode: "required",
    keys: await Promise.all(key.map(readPublicKey)),
    identities: identity === undefined || issuer === undefined ? [] : [{ issuer, subject: identity }],
    root: trustRoot === undefined ? null : await readTrustRoot(trustRoot),
  };
}

/** A bundle, and for a rollback the one that it goes back to. */
interface Verified extends VerifiedBundle {
  target: VerifiedBundle | null;
}

/** The bundle that a rollback goes back to, verified as webhooks do; null for other bundles. */
async function targetOf(
  registry: Registry,
  reference: Reference,
  bytes: Buffer,
  trust: Trust,
): Promise<VerifiedBundle | null> {
  const { rollback } = readRelease(bytes, `${reference.host}/${reference.repository}`);
  if (rollback === null) return null;
  const pulled = await pullTarget(registry, reference, rollback);
  const signers = await verifyImage(registry, reference, rollback, trust);
  const files = { bytes: pulled.bytes, ref: referenceTo(reference, rollback), signed: true };
  return { ...pulled, signers: [...signers, ...verifyFiles(files, trust)] };
}

async function fetched(cli: Cli, ref: string, options: Options, trust: Trust): Promise<Verified> {
  if (await isFile(ref)) return { ...(await readVerified(ref, trust)), target: null };
  const reference = parseReference(ref);
  const registry = await openRegistry(await registryOf(cli, options));
  try {
    const image = await fetchImage(registry, reference);
    if (image === null) throw new LandfallError("BUNDLE_REGISTRY", { ref, detail: "there is no such image" });
    const verified = await fetchVerified(registry, reference, image.digest, trust);
    return { ...verified, target: await targetOf(registry, reference, verified.bytes, trust) };
  } finally {
    await registry.close();
  }
}

const signerLines = ({ signers }: VerifiedBundle): string[] =>
  signers.length === 0 ? ["not signed; the settings allow that"] : signers.map((one) => `signed by ${one}`);

async function verify(cli: Cli, ref: string, options: Options): Promise<void> {
  const verified = await fetched(cli, ref, options, await trustOf(options));
  const { image, digest, signers, target } = verified;
  const lines = [ref, `image ${image ?? "none: it is a file"}`, `tarball ${digest}`, ...signerLines(verified)];
  if (target !== null)
    lines.push(
      `a rollback to ${target.image ?? ""}`,
      ...[`tarball ${target.digest}`, ...signerLines(target)].map((line) => `  ${line}`),
    );
  const goesTo = target === null ? null : { image: target.image, digest: target.digest, signers: target.signers };
  writeResult(cli, options.output, { ref, image, digest, signers, target: goesTo }, () => `${lines.join("\n")}\n`);
}

/** `landfall bundle verify`: verifies signature, manifest and layer of an image. */
export function addVerify(bundle: Command, cli: Cli): void {
  withRegistryOptions(
    withOutput(bundle.command("verify"))
      .description("Check the signatures, the manifest and the layer of a bundle, and print who signed it.")
      .argument("<ref>", "a file with opa's .signatures.json, host[:port]/repository:tag or @sha256:…")
      .option("--key <file>", "a trusted public key (PEM); can be repeated", repeated)
      .option("--identity <subject>", "a trusted signer without a key, as Fulcio certified it")
      .option("--issuer <url>", "issuer of the signer's OIDC token")
      .option("--trust-root <file>", "sigstore's trusted_root.json, for keyless signatures")
      .option("--settings <file>", "the webhook's bundle settings, instead of the other options"),
  ).action((ref: string, options: Options) => verify(cli, ref, options));
}
