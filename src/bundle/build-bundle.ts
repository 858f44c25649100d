import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { LandfallError, messageOf } from "../errors.ts";
import { checkNewSettings } from "../model/schemas/check-new-settings.ts";
import { isObject } from "../model/json.ts";
import { KUBERNETES_YAML } from "../model/formats/kubernetes-yaml.ts";
import { sha256Digest } from "../model/sha256.ts";
import { readTar, writeTar } from "../model/bundle-format/tar.ts";
import { assembleData } from "./catalog/assemble-data.ts";
import { checkPushed } from "./check-pushed.ts";
import { checkCatalog } from "./catalog/check-catalog.ts";
import { type CatalogFiles, GPU_FAMILY } from "./catalog/catalog-files.ts";
import { readCatalog } from "./catalog/read-catalog.ts";
import { runProgram } from "./run-program.ts";

/** The entrypoint that Landfall evaluates, in opa's notation. */
export const ENTRYPOINT = "landfall/main/result";

export interface BuildBundleOptions {
  /** Path of the opa binary. */
  opa: string;
  /** Folder of the policies (policies/bundle). */
  source: string;
  /** Folder of the catalog's files. */
  catalog: string;
  /** Path of the tarball to write. */
  output: string;
  /** Shown in every decision; a commit or a version. */
  revision: string;
  /** Capabilities of the WASM runtime; default: capabilities.json next to `source`. */
  capabilities?: string;
}

export interface BuiltBundle {
  path: string;
  /** `sha256:…` of the tarball. */
  digest: string;
  revision: string;
}

const settingsFile = (source: string): string => join(source, "landfall/settings/data.yaml");

/** As opa reads them, to which NO is false. */
async function readSettings(source: string): Promise<unknown> {
  try {
    return parse(await readFile(settingsFile(source), "utf8"), KUBERNETES_YAML) as unknown;
  } catch (thrown) {
    throw new LandfallError("BUNDLE_BUILD", { detail: messageOf(thrown) }, thrown);
  }
}

/** The families that settings list; null if they list none. */
function familiesIn(settings: unknown): string[] | null {
  const families: unknown = isObject(settings) ? settings["families"] : undefined;
  return Array.isArray(families) && families.every((family) => typeof family === "string") ? families : null;
}

/** The families of instance types that the settings allow. Throws BUNDLE_BUILD, BUNDLE_DATA. */
export async function allowedFamilies(source: string): Promise<string[]> {
  const path = settingsFile(source);
  const families = familiesIn(await readSettings(source));
  if (families !== null) return families;
  throw new LandfallError("BUNDLE_DATA", { ref: path, detail: "families has to be a list of names" });
}

/** Every family that types of the catalog have, whether it is allowed or not. */
function familiesOf({ instanceTypes }: CatalogFiles): string[] {
  const all = Object.values(instanceTypes.providers).flatMap(({ types }) => Object.values(types));
  // GPUs are chosen by their number, and not by a family.
  return [...new Set(all.map(({ family }) => family))].filter((family) => family !== GPU_FAMILY).sort();
}

/** Collects the policies without their tests, and the catalog in the form that they read. */
async function assemble({ source, catalog }: BuildBundleOptions, folder: string): Promise<void> {
  const files = await readCatalog(catalog);
  checkCatalog(files, catalog);
  const settings = await readSettings(source);
  const data = assembleData(files, familiesIn(settings) ?? []);
  checkNewSettings({ landfall: { settings, catalog: { ...data, families: familiesOf(files) } } }, settingsFile(source));
  await cp(source, folder, { recursive: true, filter: (path) => !path.endsWith("_test.rego") });
  await mkdir(join(folder, "landfall/catalog"), { recursive: true });
  await writeFile(join(folder, "landfall/catalog/data.json"), JSON.stringify(data));
}

async function compile(options: BuildBundleOptions, folder: string): Promise<Buffer> {
  const output = join(folder, "built.tar.gz");
  const capabilities = resolve(options.capabilities ?? join(dirname(options.source), "capabilities.json"));
  const target = ["--target", "wasm", "--entrypoint", ENTRYPOINT, "--capabilities", capabilities];
  // Runs inside the folder, because otherwise file names would include its path.
  const args = ["build", "--bundle", ".", ...target, "--revision", options.revision, "--output", output];
  const { code, stdout, stderr } = await runProgram(options.opa, args, { cwd: join(folder, "source") });
  if (code !== 0) throw new LandfallError("BUNDLE_BUILD", { detail: (stderr + stdout.toString("utf8")).trim() });
  return readFile(output);
}

/**
 * Removes the module from the manifest: opa would evaluate with it, which requires a build with a WASM engine; other
 * builds would reject the bundle instead of evaluating the policies next to the module.
 */
function withoutModule(manifest: Buffer): Buffer {
  const value = JSON.parse(manifest.toString("utf8")) as Record<string, unknown>;
  return Buffer.from(JSON.stringify({ ...value, wasm: undefined, metadata: { entrypoint: ENTRYPOINT } }));
}

/**
 * Normalises opa's tarball: no build times, the policies as in `source` (opa removes the entrypoint from them, because
 * the module has it), and names with the leading slash that opa expects.
 */
async function normalised(archive: Buffer, source: string): Promise<Buffer> {
  const files = new Map<string, Buffer>();
  for (const [name, body] of readTar(archive)) {
    const kept = name.endsWith(".rego") ? await readFile(join(source, name)) : body;
    files.set(`/${name}`, name === ".manifest" ? withoutModule(body) : kept);
  }
  return writeTar(files);
}

/**
 * Builds the bundle: policies, catalog data and the compiled module in one tarball. Equal sources give equal bytes.
 * Throws BUNDLE_DATA for an invalid catalog, BUNDLE_BUILD for an error of opa.
 */
export async function buildBundle(options: BuildBundleOptions): Promise<BuiltBundle> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-bundle-"));
  try {
    await assemble(options, join(folder, "source"));
    const archive = await normalised(await compile(options, folder), join(folder, "source"));
    checkPushed(archive, options.source);
    await mkdir(dirname(options.output), { recursive: true });
    await writeFile(options.output, archive);
    const digest = sha256Digest(archive);
    return { path: options.output, digest, revision: options.revision };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
