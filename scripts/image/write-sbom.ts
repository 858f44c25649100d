import { glob, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import packageJson from "../../package.json" with { type: "json" };

/** Of CycloneDX 1.5, the fields that are written here. */
interface Component {
  type: "application" | "library";
  name: string;
  version: string;
  "bom-ref": string;
  purl: string;
  licenses?: { expression: string }[];
}

interface Manifest {
  name?: string;
  version?: string;
  license?: unknown;
}

const component = (type: Component["type"], name: string, version: string, purl: string): Component => ({
  ...{ type, name, version, purl },
  "bom-ref": purl,
});

/** A module of Go; the purl specification writes its path in lower case. */
const goModule = (type: Component["type"], path: string, version: string): Component =>
  component(type, path, version, `pkg:golang/${path.toLowerCase()}@${version}`);

/** A Go program and the modules that it was built of, as the program itself names them. */
async function goComponents(program: string): Promise<Component[]> {
  const { stdout } = await execa("go", ["version", "-m", program]);
  const lines = stdout.split("\n").map((line) => line.trim().split("\t"));
  const [main = ""] = lines.filter(([kind]) => kind === "path").map(([, path = ""]) => path);
  const modules = lines
    .filter(([kind, , version]) => kind === "dep" || (kind === "mod" && version !== "(devel)"))
    .map(([, path = "", version = ""]) => [path, version] as const);
  const own = modules.filter(([path]) => main.startsWith(path)).sort(([one], [other]) => other.length - one.length)[0];
  return modules.map((found) => goModule(found === own ? "application" : "library", ...found));
}

/** The packages below a folder, by the `package.json` of each. */
async function packageComponents(folder: string): Promise<Component[]> {
  const files = glob("**/node_modules/{*,@*/*}/package.json", { cwd: folder });
  const found: Component[] = [];
  for await (const file of files) {
    const { name, version, license } = JSON.parse(await readFile(join(folder, file), "utf8")) as Manifest;
    if (name === undefined || version === undefined) continue;
    const licenses = typeof license === "string" ? { licenses: [{ expression: license }] } : {};
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    found.push({ ...component("library", name, version, purl), ...licenses });
  }
  return found.sort((one, other) => (one.purl < other.purl ? -1 : 1));
}

/**
 * Writes the bill of materials of an assembled tree (CycloneDX 1.5, JSON): Landfall, the packages in it, Node, and the Go programs with their
 * modules. The same tree gives the same bytes.
 *
 * @param programs files of the Go programs
 * @returns the number of components
 */
export async function writeSbom(file: string, tree: string, programs: readonly string[]): Promise<number> {
  const node = process.version.slice(1);
  const found = [
    component("application", "node", node, `pkg:generic/node@${node}`),
    ...(await packageComponents(join(tree, "app"))),
    ...(await Promise.all(programs.map(goComponents))).flat(),
  ];
  const byPurl = new Map(found.map((one) => [one.purl, one]));
  // One program may be a library of another.
  for (const one of found) if (one.type === "application") byPurl.set(one.purl, one);
  const components = [...byPurl.values()];
  const { name, version } = packageJson;
  const metadata = { component: component("application", name, version, `pkg:npm/${name}@${version}`) };
  const bill = { bomFormat: "CycloneDX", specVersion: "1.5", version: 1, metadata, components };
  await writeFile(file, `${JSON.stringify(bill, null, 2)}\n`);
  return components.length;
}
