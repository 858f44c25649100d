// `npm run image -- FOLDER [--sbom FILE] [--push REF [--base REF@DIGEST]]`: assembles the file tree of the image in an empty folder, prints the
// sizes of its parts, writes its bill of materials, and pushes it on top of a base.
import { mkdir, readdir, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { LandfallError, lineOf, messageOf } from "../src/errors.ts";
import { toolPath } from "../src/toolchain/tool-path.ts";
import { assembleTree, type TreeOptions } from "./image/assemble-tree.ts";
import { baseImage } from "./image/base-image.ts";
import { assertDigest, imagePlatform, pushImage } from "./image/push-image.ts";
import { writeSbom } from "./image/write-sbom.ts";

const MIB = 1024 * 1024;
const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(1).padStart(7)} MiB`;
const OPTIONS = {
  push: { type: "string" },
  base: { type: "string" },
  sbom: { type: "string" },
  "plain-http": { type: "boolean" },
} as const;

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (thrown) {
    throw new LandfallError("CLI_USAGE", { detail: messageOf(thrown) }, thrown);
  }
}

async function emptyFolder(path: string | undefined): Promise<string> {
  if (path === undefined) throw new LandfallError("CLI_USAGE", { detail: "name an empty folder" });
  const out = resolve(path);
  await mkdir(out, { recursive: true });
  if ((await readdir(out)).length > 0) throw new LandfallError("CLI_USAGE", { detail: `${out} is not empty` });
  return out;
}

/** What is not on the PATH in its version is built from the sources that go.sum pins, wherever a developer's programs are downloaded from. */
process.env["LANDFALL_TOOLS"] = "build";

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const { push: ref, base = await baseImage(), sbom, "plain-http": plainHttp = false } = values;
  if (ref !== undefined) assertDigest(base);
  const platform = imagePlatform(process.platform, process.arch);
  const out = await emptyFolder(positionals[0]);
  const [helmWorker, crane] = await Promise.all([toolPath("helm-worker"), toolPath("crane")]);
  const programs = { node: process.execPath, "helm-worker": helmWorker, crane };
  try {
    await make({ out, programs, sbom, ref, base, platform, plainHttp });
  } catch (thrown) {
    // It was empty: another attempt can use it.
    await rm(out, { recursive: true, force: true });
    throw thrown;
  }
}

interface Image {
  out: string;
  programs: TreeOptions["programs"];
  /** A file for the bill of materials; undefined for none. */
  sbom: string | undefined;
  /** Where to push it; undefined for nowhere. */
  ref: string | undefined;
  base: string;
  platform: string;
  plainHttp: boolean;
}

async function make({ out, programs, sbom, ref, base, platform, plainHttp }: Image): Promise<void> {
  const { "helm-worker": helmWorker, crane } = programs;
  const parts = await assembleTree({ out, programs });
  for (const { name, bytes } of parts) process.stderr.write(`${mebibytes(bytes)}  ${name}\n`);
  process.stderr.write(`${mebibytes(parts.reduce((sum, { bytes }) => sum + bytes, 0))}  together\n`);
  if (sbom !== undefined) {
    const count = await writeSbom(resolve(sbom), out, [helmWorker, crane]);
    process.stderr.write(`${String(count).padStart(7)} components in ${sbom}\n`);
  }
  if (ref === undefined) return;
  const pushed = await pushImage({ crane, tree: out, base, ref, platform, plainHttp });
  process.stderr.write(`${mebibytes(pushed.layerBytes)}  compressed, without the base\n`);
  process.stdout.write(`${pushed.ref}\n`);
}

try {
  await main();
} catch (thrown) {
  process.stderr.write(`${lineOf(thrown)}\n`);
  process.exitCode = 2;
}
