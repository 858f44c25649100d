import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { checkPushed } from "./check-pushed.ts";
import { LandfallError, messageOf } from "../errors.ts";
import { sha256Digest } from "../model/sha256.ts";
import { readTar, writeTar } from "../model/bundle-format/tar.ts";
import type { BuiltBundle } from "./build-bundle.ts";
import { runProgram } from "./run-program.ts";

export interface BuildTeamBundleOptions {
  /** Path of the opa binary. */
  opa: string;
  /** Folder of the team's policies: packages directly below landfall.custom, and their data. */
  source: string;
  /** The capabilities of the WASM runtime. */
  capabilities: string;
  name: string;
  revision: string;
  /** Path of the tarball to write. */
  output: string;
}

const ENTRYPOINT = "landfall/team/answer";
const ENTRY_FILE = "landfall/team/answer.rego";

/** All that the packages of the bundle say, each with the package's name: what src/policy/load-team.ts asks for. */
// prose-ok: Rego source, not a text
const ENTRY = `package landfall.team

answer := {
	"denials": [[name, entry] | some name; some entry in data.landfall.custom[name].denials],
	"warnings": [[name, entry] | some name; some entry in data.landfall.custom[name].warnings],
	"refused": [[name, place, reason] | some name; some place, reason in data.landfall.custom[name].refused],
}
`;

const fail = (detail: string, cause?: unknown): LandfallError => new LandfallError("BUNDLE_BUILD", { detail }, cause);

/**
 * The platform's packages that a team's rules may read: others do not exist during evaluation, and a rule would be
 * undefined.
 */
const VISIBLE = /^(custom|catalog)(\.\w+)*$/;
const SHARED = new Set(["places", "placeIds", "residency"]);

function checkReferences(text: string, file: string): void {
  for (const [, path = ""] of text.matchAll(/\bdata\.landfall\.([\w.]+)/g))
    if (!VISIBLE.test(path.replace(/\.$/, "")))
      throw fail(`${file} uses data.landfall.${path}, which only the platform's own policies can see`);
  for (const [, table = ""] of text.matchAll(/\bcatalog\.(\w+)/g))
    if (!SHARED.has(table)) throw fail(`${file} uses catalog.${table}, which only the platform's own policies can see`);
}

/** The packages of the policies as roots. Throws BUNDLE_BUILD for one that a team must not own. */
async function rootsOf(source: string): Promise<string[]> {
  const names = await readdir(source, { recursive: true }).catch((thrown: unknown) => {
    throw fail(messageOf(thrown), thrown);
  });
  const roots = new Set<string>();
  for (const file of names.filter((name) => name.endsWith(".rego") && !name.endsWith("_test.rego"))) {
    const text = await readFile(join(source, file), "utf8");
    const name = /^package\s+landfall\.custom\.(\w+)\s*$/m.exec(text)?.[1];
    if (name === undefined) throw fail(`${file}: the package has to be landfall.custom.NAME`);
    checkReferences(text, file);
    roots.add(`landfall/custom/${name}`);
  }
  if (roots.size === 0) throw fail(`${source} holds no policies`);
  return [...roots].sort();
}

interface Manifest {
  revision: string;
  roots: string[];
  rego_version: 1;
  metadata: { landfall: { kind: "policy"; name: string } };
}

async function compile(options: BuildTeamBundleOptions, folder: string, manifest: Manifest): Promise<Buffer> {
  const { opa, source, capabilities, revision } = options;
  const sources = join(folder, "source");
  await cp(source, sources, { recursive: true, filter: (path) => !path.endsWith("_test.rego") });
  await mkdir(join(sources, dirname(ENTRY_FILE)), { recursive: true });
  await writeFile(join(sources, ENTRY_FILE), ENTRY);
  const roots = [...manifest.roots, dirname(ENTRY_FILE)];
  await writeFile(join(sources, ".manifest"), JSON.stringify({ ...manifest, roots }));
  const output = join(folder, "built.tar.gz");
  const target = ["--target", "wasm", "--entrypoint", ENTRYPOINT, "--capabilities", resolve(capabilities)];
  const args = ["build", "--bundle", ".", ...target, "--revision", revision, "--output", output];
  const { code, stdout, stderr } = await runProgram(opa, args, { cwd: sources });
  if (code !== 0) throw fail((stderr + stdout.toString("utf8")).trim());
  return readFile(output);
}

/**
 * Builds another team's bundle: its policies, their data and the compiled module. Its roots are its packages. Equal
 * sources give equal bytes. Throws BUNDLE_BUILD.
 */
export async function buildTeamBundle(options: BuildTeamBundleOptions): Promise<BuiltBundle> {
  const { source, name, revision, output } = options;
  const roots = await rootsOf(source);
  const manifest: Manifest = { revision, roots, rego_version: 1, metadata: { landfall: { kind: "policy", name } } };
  const folder = await mkdtemp(join(tmpdir(), "landfall-bundle-"));
  try {
    const built = readTar(await compile(options, folder, manifest));
    built.delete(ENTRY_FILE);
    built.set(".manifest", Buffer.from(JSON.stringify(manifest)));
    const bytes = writeTar(new Map([...built].map(([file, body]) => [`/${file}`, body])));
    checkPushed(bytes, source);
    await mkdir(dirname(output), { recursive: true });
    await writeFile(output, bytes);
    return { path: output, digest: sha256Digest(bytes), revision };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
