import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { buildBundle } from "../../../bundle/build-bundle.ts";
import { sha256 } from "../../../bundle/sha256.ts";
import { readPrivateKey } from "../../../bundle/signature/read-key.ts";
import { signBundleFiles } from "../../../bundle/signature/sign-bundle-files.ts";
import { sourcesHash } from "../../../bundle/sources-hash.ts";
import { testPolicies } from "../../../bundle/test-policies.ts";
import { toolPath } from "../../../toolchain/tool-path.ts";
import type { Cli } from "../../cli.ts";
import { requireOutput, writeValue } from "../../decision-options.ts";

interface Options {
  out: string;
  source?: string;
  catalog?: string;
  capabilities?: string;
  revision?: string;
  test: boolean;
  signingKey?: string;
  output: string;
}

async function build(cli: Cli, options: Options): Promise<void> {
  requireOutput(options, ["text", "json"]);
  const source = resolve(options.source ?? join(cli.root, "policies/bundle"));
  const catalog = resolve(options.catalog ?? join(cli.root, "catalog"));
  const capabilities = resolve(options.capabilities ?? join(dirname(source), "capabilities.json"));
  const opa = await toolPath("opa");
  if (options.test) await testPolicies({ opa, source, capabilities });
  const revision = options.revision ?? (await sourcesHash([source, catalog]));
  const built = await buildBundle({ opa, source, catalog, capabilities, revision, output: resolve(options.out) });
  if (options.signingKey !== undefined) {
    const key = await readPrivateKey(options.signingKey, cli.env["LANDFALL_KEY_PASSPHRASE"]);
    const signed = signBundleFiles(await readFile(built.path), key);
    await writeFile(built.path, signed);
    built.digest = sha256(signed);
  }
  if (options.output === "json") writeValue(cli, built, "json");
  else cli.write(`${built.path}\nrevision ${built.revision}\n${built.digest}\n`);
}

/** `landfall bundle build`: tested sources to a tarball; equal sources give equal bytes. */
export function addBuild(bundle: Command, cli: Cli): void {
  bundle
    .command("build")
    .description("Check, test and compile policies and data into one tarball. Equal sources give equal digests.")
    .option("--out <file>", "the tarball to write", "bundle.tar.gz")
    .option("--source <folder>", "folder of the policies; the project's own where left out")
    .option("--catalog <folder>", "folder of the catalog; the project's own where left out")
    .option(
      "--capabilities <file>",
      "what the WASM runtime can do; capabilities.json beside the policies where left out",
    )
    .option("--revision <text>", "shown in every decision; a hash of the sources where left out")
    .option("--signing-key <file>", "add opa's own .signatures.json, made with this private key (PEM)")
    .option("--no-test", "do not run opa check and opa test before")
    .option("-o, --output <format>", "text or json", "text")
    .action((options: Options) => build(cli, options));
}
