import { glob, readFile } from "node:fs/promises";
import { join, parse, relative, sep } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { loadedPackages } from "./loaded-packages.ts";

/**
 * Packages that the code loads by `require` at run time, so they cannot become part of the bundled files: they stay dependencies of the
 * package.
 */
export const REQUIRED_PACKAGES = ["@open-policy-agent/opa-wasm", "ajv", "ajv-formats", "handlebars", "re2js"] as const;

/** Where the files lie in the package. */
const FOLDER = "dist";
/** Each runs in a thread or process of its own, so each is a file of its own. */
const ENTRIES = [
  "src/composition/helm/manifest-thread.ts",
  "src/policy/module/entrypoints-thread.ts",
  "src/policy/process/read-process.ts",
];

/** `import.meta.url` stays the address of the module in the project, so what it finds lies at the same place in the package. */
function keepAddresses(root: string): Plugin {
  return {
    name: "keep-addresses",
    transform(code, id) {
      if (!id.startsWith(join(root, "src") + sep) || !code.includes("import.meta.url")) return null;
      const own = relative(join(root, FOLDER), id).split(sep).join("/");
      const entries = ENTRIES.map((entry) => parse(entry).name);
      return entries
        .reduce(
          (text, name) =>
            text.replaceAll(`new URL("${name}.ts", import.meta.url)`, `new URL("${name}.js", import_meta_url)`),
          code,
        )
        .replaceAll("import.meta.url", `new URL(${JSON.stringify(own)}, import.meta.url).href`)
        .replaceAll("import_meta_url", "import.meta.url");
    },
  };
}

/** A package that is neither part of the files nor listed would be missing where the package is installed. */
function refuseUnlisted(root: string): Plugin {
  return {
    name: "refuse-unlisted",
    transform(code, id) {
      if (!id.startsWith(join(root, "src") + sep)) return null;
      const missing = loadedPackages(code).find((name) => !REQUIRED_PACKAGES.some((one) => one === name));
      if (missing === undefined) return null;
      throw new Error(`${relative(root, id)} loads ${missing} by require; add it to REQUIRED_PACKAGES, or import it`);
    },
  };
}

/** The folder of the package that a module is part of; null for the project's own. */
export function packageOf(id: string): string | null {
  const at = id.lastIndexOf(`node_modules${sep}`);
  if (at === -1) return null;
  const rest = id.slice(at + 13).split(sep);
  return join(id.slice(0, at + 13), ...rest.slice(0, rest[0]?.startsWith("@") === true ? 2 : 1));
}

/** Compiles the command line into a few JavaScript files below `out`. Returns the folders of the packages that became part of them. */
export async function bundleCommands(root: string, out: string): Promise<string[]> {
  const input = [join(root, "src/cli/main.ts"), ...ENTRIES.map((entry) => join(root, entry))];
  const external = REQUIRED_PACKAGES.map((name) => new RegExp(`^${name}(/|$)`));
  const bundle = await rolldown({
    input,
    platform: "node",
    external,
    plugins: [refuseUnlisted(root), keepAddresses(root)],
    logLevel: "silent",
  });
  try {
    const { output } = await bundle.write({
      ...{ dir: join(out, FOLDER), format: "esm", comments: { legal: true } },
      ...{ entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
    });
    const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
    return [...new Set(modules.map(packageOf).filter((folder) => folder !== null))].sort();
  } finally {
    await bundle.close();
  }
}

/** The licence texts of these packages, one after the other. */
export async function licenceTexts(folders: readonly string[]): Promise<string> {
  const texts = await Promise.all(
    folders.map(async (folder) => {
      const about = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
      const pattern = "{licen[cs]e,LICEN[CS]E,Licen[cs]e,NOTICE,COPYING}*";
      const entries = await Array.fromAsync(glob(pattern, { cwd: folder, withFileTypes: true }));
      const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
      const found = await Promise.all(files.sort().map((file) => readFile(file, "utf8")));
      const title = `${String(about["name"])} ${String(about["version"])}: ${String(about["license"])}`;
      return [title, "=".repeat(title.length), ...found.map((text) => text.trim())].join("\n");
    }),
  );
  return `${texts.join("\n\n")}\n`;
}
