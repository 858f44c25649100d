import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import { KUBERNETES_YAML } from "../../../src/model/formats/kubernetes-yaml.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

const run = promisify(execFile);

const MANIFEST = `
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  booleans: [NO, no, No, nO, yes, Yes, on, OFF, y, n, Y, N, true, "NO", 'yes']
  numbers: [0777, 0o17, 1_000, 0b101, 08, 0x1F, 1:30, +5, 1e3, .5, 12e03, 1_0.5, "5", 0.1.2]
  times: [2026-11-21, 2026-11-21T00:00:00Z]
  nothing: [~, null, Null]
  yes: a key
  5: another
`;

async function byKubectl(source: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-yaml-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "a.yaml");
  await writeFile(file, source);
  const { stdout } = await run(await toolPath("kubectl"), ["label", "--local", "-f", file, "a=b", "-o", "json"]);
  return (JSON.parse(stdout) as { data: unknown }).data;
}

it("is parsed as kubectl parses the same text", async () => {
  const { data } = parse(MANIFEST, KUBERNETES_YAML) as { data: Record<string, unknown> };
  expect(data).toEqual(await byKubectl(MANIFEST));
  expect(data["booleans"]).toContain("nO");
});

it("is written so that kubectl reads the same values", async () => {
  const data = { list: ["NO", "n", "on", "0777", "1:30", "2026-11-21", "5", "~", true, 5], yes: "no" };
  const source = stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data }, KUBERNETES_YAML);
  expect(await byKubectl(source)).toEqual(data);
});
