import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readManifest } from "../../../src/toolchain/resolve-tool.ts";
import { TOOL_NAMES } from "../../../src/toolchain/tool-spec.ts";

const toolsFolder = fileURLToPath(new URL("../../../tools", import.meta.url));
const manifest = readManifest(toolsFolder);

test("tools.json pins every tool once", () => {
  expect(manifest.map(({ name }) => name).sort()).toEqual([...TOOL_NAMES].sort());
});

test.for(manifest.map((spec) => [spec.name, spec] as const))(
  "%s: go.mod requires the version of tools.json",
  ([, spec]) => {
    const goMod = readFileSync(join(toolsFolder, spec.folder, "go.mod"), "utf8");
    const required = [...goMod.matchAll(/^(?:require )?\s*(\S+) v(\S+)$/gm)].find(([, module = ""]) =>
      // A program of this project has the version of what it is built on.
      (spec.source === undefined ? spec.package : "helm.sh/helm/v4").startsWith(module),
    );
    expect(required?.[2]).toBe(spec.version);
  },
);
