import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Compatibility, ToolName, ToolSpec } from "./tool-spec.ts";

interface ManifestModule {
  folder: string;
  version: string;
  compatible: Compatibility;
  stamp: string[];
  tools: { name: ToolName; package: string; output: string; versionCommand: string[] }[];
}

/** Every program that tools/tools.json pins. The file is part of the project, so its shape is trusted. */
export function readManifest(toolsFolder: string): ToolSpec[] {
  const text = readFileSync(join(toolsFolder, "tools.json"), "utf8");
  const { modules } = JSON.parse(text) as { modules: ManifestModule[] };
  return modules.flatMap(({ tools, ...shared }) => tools.map((tool) => ({ ...shared, ...tool })));
}
