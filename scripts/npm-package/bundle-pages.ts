import { join } from "node:path";
import { build } from "vite";
import { packageOf } from "./bundle-commands.ts";

/** Builds the pages of the console below `out`. Returns the folders of the packages that became part of them. */
export async function bundlePages(root: string, out: string): Promise<string[]> {
  const built = await build({ root: join(root, "web"), logLevel: "warn", build: { outDir: out, emptyOutDir: true } });
  const outputs = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const modules = outputs.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  return [...new Set(modules.map(packageOf).filter((folder) => folder !== null))].sort();
}
