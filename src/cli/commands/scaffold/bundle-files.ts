import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { sourcesHash } from "../../../bundle/sources-hash.ts";
import { LandfallError } from "../../../errors.ts";
import { policyFiles } from "./policy-files.ts";
import { renderTemplate, type ScaffoldFile } from "./render-template.ts";

export interface BundleFiles {
  /** Landfall's own folder. */
  root: string;
  /** Name of the first custom rule. */
  policy: string;
  /** Whether to include the catalog, for teams that add places, machine types or providers. */
  catalog: boolean;
}

const SETTINGS = "bundle/landfall/settings/data.yaml";

/** Every file below `from`, with its path below `to`. */
async function copied(from: string, to: string): Promise<ScaffoldFile[]> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.map(async (path) => ({
      path: join(to, relative(from, path)).split(sep).join("/"),
      body: await readFile(path),
    })),
  );
}

async function ownFiles({ root, catalog }: BundleFiles, settings: string): Promise<ScaffoldFile[]> {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const revision = sourcesHash([join(root, "policies/bundle"), join(root, "catalog")]);
  const values = { version, revision, catalog, catalogOption: catalog ? " --catalog catalog" : "" };
  return [
    { path: "README.md", body: await renderTemplate("bundle/README.md", values) },
    { path: SETTINGS, body: await renderTemplate("bundle/settings.yaml", { ...values, product: settings.trimEnd() }) },
  ];
}

/**
 * A complete policy bundle: Landfall's policies with their tests and cases, the team's own settings, and a first rule.
 * Throws CLI_SCAFFOLD_NAME, CLI_SCAFFOLD_EXISTS if Landfall's own folder has a rule with this name.
 */
export async function bundleFiles(options: BundleFiles): Promise<ScaffoldFile[]> {
  const { root, policy, catalog } = options;
  const rule = await policyFiles(policy);
  const product = new Map<string, ScaffoldFile>();
  for (const file of [
    ...(await copied(join(root, "policies/bundle"), "bundle")),
    ...(await copied(join(root, "policies/tests"), "tests")),
    ...(catalog ? await copied(join(root, "catalog"), "catalog") : []),
  ])
    product.set(file.path, file);
  const twice = rule.find(({ path }) => product.has(path));
  if (twice !== undefined)
    throw new LandfallError("CLI_SCAFFOLD_EXISTS", { file: join(root, "policies", twice.path), others: "" });
  const settings = product.get(SETTINGS)?.body.toString("utf8") ?? "";
  product.delete(SETTINGS);
  const capabilities = await readFile(join(root, "policies/capabilities.json"));
  const own = [...rule, ...(await ownFiles(options, settings)), { path: "capabilities.json", body: capabilities }];
  return [...product.values(), ...own].sort((a, b) => (a.path < b.path ? -1 : 1));
}
