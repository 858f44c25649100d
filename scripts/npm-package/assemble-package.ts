import { chmod, copyFile, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cachedBundle } from "../../src/bundle/cached-bundle.ts";
import { isObject } from "../../src/model/json.ts";
import { defaultCacheFolder } from "../../src/toolchain/cache-paths.ts";
import { pinnedVersion } from "../../src/toolchain/resolve-tool.ts";
import { toolPath } from "../../src/toolchain/tool-path.ts";
import { bundleCommands, licenceTexts, REQUIRED_PACKAGES } from "./bundle-commands.ts";
import { bundlePages } from "./bundle-pages.ts";

/** What the commands read at run time, at the same paths as in the project. */
const DATA = [
  ...[
    "catalog",
    "policies",
    "schemas",
    "charts/vmtemplate",
    "charts/kaas-cluster",
    "charts/landfall/krateo",
    "charts/landfall/rbac",
    "examples",
  ],
  ...["tools", "src/cli/commands/scaffold/templates", "LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md"],
] as const;

/** The built pages of the console, where src/console/pages looks for them. */
const PAGES = "console";

/** Tests of charts, and the types of schemas. */
const LEFT_OUT = /\/charts\/[^/]+\/(?:tests|ci)(?:\/|$)|\.d\.c?ts$/;

const START = `#!/usr/bin/env node
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

if (Number(process.versions.node.split(".")[0]) < 22) {
  process.stderr.write(\`landfall needs Node 22 or newer; this is \${process.version}. Install it from https://nodejs.org\\n\`);
  process.exit(2);
}
// The second call starts faster. In the user's own folder: code from a folder that all users share could be anybody's.
const caches = process.env.XDG_CACHE_HOME || join(process.env.HOME || homedir(), ".cache");
module.enableCompileCache(process.env.NODE_COMPILE_CACHE ?? join(caches, "landfall", "compiled"));
await import("../dist/main.js");
`;

/** The package.json of the package: most of the project's dependencies are part of its files. */
async function packageFile(root: string): Promise<object> {
  const own = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as Record<string, unknown>;
  const versions = isObject(own["dependencies"]) ? own["dependencies"] : {};
  const { name, version, description, license, repository } = own;
  return {
    ...{ name, version, description, license, ...(repository === undefined ? {} : { repository }) },
    ...{ type: "module", engines: { node: ">=22" }, bin: { landfall: "bin/landfall.js" } },
    // Only the schemas are for other programs; the code has no interface.
    exports: { "./schemas/*": "./schemas/*", "./package.json": "./package.json" },
    files: ["bin", "dist", PAGES, "bundle.tar.gz", "THIRD-PARTY-LICENSES", ...DATA],
    dependencies: Object.fromEntries(REQUIRED_PACKAGES.map((one) => [one, versions[one]])),
    publishConfig: { access: "public", provenance: true },
  };
}

/**
 * Assembles the npm package of the command line in a folder, which is made anew: compiled JavaScript, the project's policies as a built
 * bundle, and what the commands read. Throws TOOL_MISSING without opa, BUNDLE_BUILD.
 */
export async function assemblePackage(root: string, out: string): Promise<void> {
  await rm(out, { recursive: true, force: true });
  await mkdir(join(out, "bin"), { recursive: true });
  const packages = [...(await bundleCommands(root, out)), ...(await bundlePages(root, join(out, PAGES)))];
  for (const path of DATA) {
    const filter = (from: string): boolean => !LEFT_OUT.test(from);
    await cp(join(root, path), join(out, path), { recursive: true, filter });
  }
  const bundle = await cachedBundle({
    ...{ root, source: join(root, "policies/bundle"), catalog: join(root, "catalog") },
    ...{
      cacheDir: join(defaultCacheFolder(process.env), "bundles"),
      opaVersion: pinnedVersion("opa", join(root, "tools")),
    },
    opa: () => toolPath("opa"),
  });
  await copyFile(bundle, join(out, "bundle.tar.gz"));
  await writeFile(join(out, "THIRD-PARTY-LICENSES"), await licenceTexts([...new Set(packages)].sort()));
  await writeFile(join(out, "package.json"), `${JSON.stringify(await packageFile(root), null, 2)}\n`);
  await writeFile(join(out, "bin/landfall.js"), START);
  await chmod(join(out, "bin/landfall.js"), 0o755);
}
