import { chmod, copyFile, cp, mkdir, open, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { LandfallError } from "../../src/errors.ts";
import { bundlePages } from "../npm-package/bundle-pages.ts";

/** The built pages of the console, where src/console/pages looks for them. */
const PAGES = "console";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the processes and the command line read at run time. */
const SOURCES = [
  "bin",
  "src",
  "webhook",
  "schemas",
  "catalog",
  "policies",
  "charts",
  "package.json",
  "LICENSE",
] as const;
/** Local mode and its simulators, tests, and the types of schemas. */
const LEFT_OUT = /^(?:src\/local|charts\/[^/]+\/(?:tests|ci))(?:\/|$)|\.(?:test|d)\.ts$/;
/** Of packages: declarations, maps, sources, documentation, tests, and builds for browsers, bundlers and Bare, another runtime. */
const NOT_RUN = new RegExp(
  [
    String.raw`\.(?:[cm]?ts|map|md|markdown|flow|tsbuildinfo)$`,
    String.raw`\/(?:tests?|__tests__|benchmarks?|examples)(?:\/|$)`,
    String.raw`\/(?:echarts\/(?:dist|build|i18n|theme|types|ssr)|zrender\/(?:dist|build|src)|uglify-js|@types|@opentelemetry\/[a-z-]+\/build\/es(?:m|next))(?:\/|$)`,
    String.raw`\/(?:bare-[a-z]+\/prebuilds|bintrees\/dist|csv-parse\/dist|source-map\/dist|handlebars\/dist\/(?:amd|handlebars[^/]*))(?:\/|$)`,
    String.raw`\/(?:xmlbuilder2\/lib\/xmlbuilder2\.min\.js|re2js\/build\/index\.(?:umd\.js|cjs))$`,
  ].join("|"),
);

/** Where the chart mounts volumes, and Kubernetes the token. */
const MOUNT_POINTS = [
  "etc/landfall",
  "var/lib/landfall",
  "var/run/secrets/kubernetes.io/serviceaccount",
  "tmp",
] as const;

export interface TreeOptions {
  /** An empty folder. */
  out: string;
  /** Files of the programs. The helm worker is Helm's command line too, so `helm` is a link to it. */
  programs: { node: string; "helm-worker": string; crane: string };
}

/** A part of the image, in bytes. */
export interface Part {
  name: string;
  bytes: number;
}

async function sizeOf(path: string): Promise<number> {
  const info = await stat(path);
  if (!info.isDirectory()) return info.size;
  const sizes = await Promise.all((await readdir(path)).map((name) => sizeOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Copies a file; of TypeScript only what runs, in the same lines, so that positions in errors stay true. */
async function copySource(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  if (from.endsWith(".ts")) await writeFile(to, stripTypeScriptTypes(await readFile(from, "utf8")));
  else await copyFile(from, to);
}

/** The files below a path of the project that belong into the image. */
async function filesBelow(path: string): Promise<string[]> {
  if (LEFT_OUT.test(path)) return [];
  if (!(await stat(join(root, path))).isDirectory()) return [path];
  const names = await readdir(join(root, path));
  return (await Promise.all(names.map((name) => filesBelow(join(path, name))))).flat();
}

/** The folders of the packages that run, as npm knows them. */
async function packages(): Promise<string[]> {
  const args = ["ls", "--omit=dev", "--all", "--parseable"];
  const { stdout } = await execa("npm", args, { cwd: root, reject: false });
  return stdout.split("\n").filter((line) => line.includes("/node_modules/"));
}

/** By its path in the project, which itself can be below a folder of such a name. */
const isNotRun = (path: string): boolean => NOT_RUN.test(`/${relative(root, path)}`);

async function copyPackages(app: string): Promise<void> {
  for (const folder of await packages()) {
    if (isNotRun(folder)) continue;
    const filter = (from: string): boolean => basename(from) !== "node_modules" && !isNotRun(from);
    await cp(folder, join(app, relative(root, folder)), { recursive: true, filter, dereference: true });
  }
}

/** The first bytes of a program of Linux. */
const ELF = Buffer.from("\x7fELF", "latin1");

/** A script of that name, as version managers put on the PATH, would start nothing in the image. Throws TOOL_FAILED. */
async function assertProgram(name: string, file: string): Promise<void> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(ELF.length), 0, ELF.length, 0);
    if (buffer.equals(ELF)) return;
  } finally {
    await handle.close();
  }
  const detail = `${file} is a script, or a program of another system: leave its folder out of the PATH, so that ${name} is built`;
  throw new LandfallError("TOOL_FAILED", { tool: name, detail });
}

/**
 * Assembles the file tree of the image, without the base's libraries, and answers the sizes of its parts. What the processes start is at the same
 * paths as in the chart. Files are readable for all and writable for nobody but their owner. Throws TOOL_FAILED for a program that cannot run in the image.
 */
export async function assembleTree({ out, programs }: TreeOptions): Promise<Part[]> {
  for (const [name, file] of Object.entries(programs)) await assertProgram(name, file);
  const app = join(out, "app");
  const files = (await Promise.all(SOURCES.map(filesBelow))).flat();
  await Promise.all(files.map((file) => copySource(join(root, file), join(app, file))));
  await copyPackages(app);
  await bundlePages(root, join(app, PAGES));
  const bin = join(out, "usr/local/bin");
  await mkdir(bin, { recursive: true });
  for (const [name, file] of Object.entries(programs)) {
    await copyFile(file, join(bin, name));
    await chmod(join(bin, name), 0o755);
  }
  await symlink("helm-worker", join(bin, "helm"));
  // What the kubelet mounts needs a place where the root cannot be written.
  await Promise.all(MOUNT_POINTS.map((name) => mkdir(join(out, name), { recursive: true })));
  const parts = [
    "app/node_modules",
    `app/${PAGES}`,
    ...SOURCES.map((name) => `app/${name}`),
    ...Object.keys(programs).map((name) => `usr/local/bin/${name}`),
  ];
  return Promise.all(parts.map(async (name) => ({ name, bytes: await sizeOf(join(out, name)) })));
}
