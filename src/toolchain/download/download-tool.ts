import { open, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { messageOf } from "../../errors.ts";
import { readTar } from "../../model/bundle-format/tar.ts";
import { sha256 } from "../../model/sha256.ts";
import { askVersion } from "../installed-version.ts";
import type { ToolSpec, Toolchain } from "../tool-spec.ts";
import { fetchFile, type FetchInput, refused } from "./fetch-file.ts";
import { openNetwork } from "./open-network.ts";
import { readChecksum } from "./read-checksum.ts";
import { releaseFiles, type ReleaseFiles } from "./release-files.ts";
import { verifyBundle, verifySigned } from "./verify-signature.ts";

/** More than any checksum file, signature or certificate has. */
const SMALL_BYTES = 1024 * 1024;

async function textOf(url: string, input: FetchInput): Promise<string> {
  return (await fetchFile(url, input, SMALL_BYTES)).toString("utf8");
}

async function checkDigest(file: Buffer, { url, checksum }: ReleaseFiles, input: FetchInput): Promise<void> {
  const name = basename(new URL(url).pathname);
  const published = readChecksum(await textOf(checksum, input), name);
  if (published === null) throw refused(input.spec, `${checksum} has no SHA-256 of ${name}`);
  const digest = sha256(file);
  if (digest !== published)
    throw refused(input.spec, `${url} has the SHA-256 ${digest}, but ${checksum} says ${published}`);
}

async function checkSignature(file: Buffer, { url, signature }: ReleaseFiles, input: FetchInput): Promise<void> {
  if (signature === null) return;
  const trust = { ...signature, trustedRoot: await readFile(input.network.trustedRoot, "utf8") };
  const parts = "bundle" in signature ? [signature.bundle] : [signature.signature, signature.certificate];
  const [first = "", certificate = ""] = await Promise.all(parts.map(async (part) => textOf(part, input)));
  try {
    if ("bundle" in signature) verifyBundle(file, first, trust);
    else verifySigned(file, first, certificate, trust);
  } catch (thrown) {
    throw refused(input.spec, `the signature of ${url} is wrong: ${messageOf(thrown)}`, thrown);
  }
}

/** The program itself. */
function programOf(file: Buffer, { url, member }: ReleaseFiles, spec: ToolSpec): Buffer {
  if (member === null) return file;
  let found: Buffer | undefined;
  try {
    found = readTar(file).get(member);
  } catch (thrown) {
    throw refused(spec, `${url}: ${messageOf(thrown)}`, thrown);
  }
  if (found === undefined) throw refused(spec, `${url} holds no file ${member}`);
  return found;
}

/** On the disk before it gets its name in the cache: a machine that loses power has the whole program or none. */
async function write(path: string, program: Buffer): Promise<void> {
  const file = await open(path, "wx", 0o755);
  try {
    await file.writeFile(program);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function checkVersion(path: string, spec: ToolSpec): Promise<void> {
  const version = await askVersion(path, spec.versionCommand);
  if (version !== spec.version)
    throw refused(spec, `the file of ${spec.version} says that its version is ${version ?? "unknown"}`);
}

async function downloadTool(files: ReleaseFiles, folder: string, input: FetchInput): Promise<void> {
  const { spec } = input;
  const file = await fetchFile(files.url, input);
  await checkDigest(file, files, input);
  await checkSignature(file, files, input);
  const path = join(folder, spec.output);
  await write(path, programOf(file, files, spec));
  await checkVersion(path, spec);
}

/**
 * Downloads the programs of one module into `folder`, each with the published checksum, the signature if the project makes one, and the
 * pinned version. One after the other, since each is in memory as a whole. Errors: TOOL_DOWNLOAD, TOOL_UNREACHABLE.
 */
export async function downloadTools(specs: readonly ToolSpec[], folder: string, chain: Toolchain): Promise<void> {
  const dispatcher = await openNetwork(chain);
  try {
    for (const spec of specs) {
      const files = releaseFiles(spec);
      if (files === null) throw refused(spec, `its project publishes none for ${process.platform} ${process.arch}`);
      const begun = Date.now();
      chain.progress.write(`downloading ${spec.name} ${spec.version} from ${new URL(files.url).host}\n`);
      await downloadTool(files, folder, { spec, dispatcher, network: chain.network });
      const seconds = ((Date.now() - begun) / 1000).toFixed(1);
      chain.progress.write(`downloading ${spec.name} ${spec.version}: verified after ${seconds} s\n`);
    }
  } finally {
    await dispatcher.destroy();
  }
}
