import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hashInputs } from "../../../scripts/generate/hash-inputs.ts";

let base: string;
let folder: string;
let script: string;
let data: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-inputs-"));
  folder = join(base, "own");
  script = join(folder, "script.ts");
  data = join(folder, "data.bin");
  await mkdir(folder);
  await writeFile(script, `import { a } from "./a.ts";\nimport type { B } from "./b.ts";\n`);
  await writeFile(join(folder, "a.ts"), `export { c } from "./c.ts";\n`);
  await writeFile(join(folder, "b.ts"), `import { a } from "./a.ts";\nimport { D } from "../shared.ts";\n`);
  await writeFile(join(folder, "c.ts"), "export const c = 1;\n");
  await writeFile(join(base, "shared.ts"), "export const D = 1;\n");
  await writeFile(data, "1");
});
afterAll(() => rm(base, { recursive: true, force: true }));

it("is the same for the same inputs", async () => {
  expect(await hashInputs(script, [data], "text")).toBe(await hashInputs(script, [data], "text"));
});

it.each(["script.ts", "a.ts", "b.ts", "c.ts", "data.bin"])("differs if %s has changed", async (name) => {
  const before = await hashInputs(script, [data], "text");
  const text = await readFile(join(folder, name), "utf8");
  await writeFile(join(folder, name), `${text}//\n`);
  expect(await hashInputs(script, [data], "text")).not.toBe(before);
  await writeFile(join(folder, name), text);
  expect(await hashInputs(script, [data], "text")).toBe(before);
});

it("is the same if a file of another folder has changed", async () => {
  const before = await hashInputs(script, [data], "text");
  await writeFile(join(base, "shared.ts"), "export const D = 1;\nexport const E = 2;\n");
  expect(await hashInputs(script, [data], "text")).toBe(before);
});

it("differs if the generated text was changed by hand", async () => {
  expect(await hashInputs(script, [data], "text")).not.toBe(await hashInputs(script, [data], "other"));
});
