import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readExamples } from "../../../src/local/examples/read-examples.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-examples-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const vm = (expectation: string): string => `apiVersion: composition.krateo.io/v0-1-0
kind: VmTemplate
metadata:
  name: web
  annotations: { example.landfall.dev/expect: "${expectation}" }
spec: { cpu: 2, memory: 8 }
`;

test("reads compositions as examples, and applies other objects before them", async () => {
  await writeFile(
    join(folder, "b.yaml"),
    `${vm("Scheduled, Ready")}---\napiVersion: v1\nkind: Namespace\nmetadata: { name: team }\n`,
  );
  await writeFile(join(folder, "readme.md"), "no example");
  const { foundations, examples } = await readExamples(folder);
  expect(foundations.map(({ kind, metadata }) => `${kind} ${metadata.name ?? ""}`)).toEqual(["Namespace team"]);
  expect(examples.map(({ file, expected }) => [file, expected])).toEqual([["b.yaml", ["Scheduled", "Ready"]]]);
});

test.for(["", "Redy", "Denied", "Denied: no such", "Ready; Scheduled"])(
  "an expectation %j is refused",
  async (text) => {
    await writeFile(join(folder, "a.yaml"), vm(text));
    await expect(readExamples(folder)).rejects.toMatchObject({ code: "LOCAL_EXAMPLE", params: { file: "a.yaml" } });
  },
);

test.for(["kind: [", "just text", "- a\n- b"])("a file that holds %j is refused", async (text) => {
  await writeFile(join(folder, "a.yaml"), text);
  await expect(readExamples(folder)).rejects.toMatchObject({ code: "LOCAL_EXAMPLE" });
});
