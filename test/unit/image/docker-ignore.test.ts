import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const linesOf = async (name: string): Promise<string[]> =>
  (await readFile(new URL(`../../../${name}`, import.meta.url), "utf8")).split("\n").filter((line) => line !== "");

it("no private key of the installation pages gets into a stage of the image's build", async () => {
  const ignored = await linesOf(".gitignore");
  const keys = ignored.slice(ignored.findIndex((line) => line.startsWith("# Private keys")) + 1);
  expect(keys).toContain("/*.key");
  expect(await linesOf(".dockerignore")).toEqual(expect.arrayContaining(keys.map((line) => line.replace("/", ""))));
});
