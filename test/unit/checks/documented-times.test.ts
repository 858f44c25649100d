import { glob, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parseTime } from "../../../src/model/time.ts";

/** A reader who copies an object must not be told that its deadline is over. */
const FIRST = parseTime("2030-01-01T00:00:00Z") ?? 0;

const PAGES = await Array.fromAsync(glob(["README.md", "docs/guides/*.md", "docs/concepts/*.md", "examples/*.yaml"]));

/** The deadlines of the objects of a page: outputs of commands stand in other blocks. */
async function deadlinesOf(page: string): Promise<string[]> {
  const text = await readFile(page, "utf8");
  const blocks = page.endsWith(".yaml")
    ? [text]
    : [...text.matchAll(/```yaml[^\n]*\n(.*?)```/gs)].map(([, one = ""]) => one);
  return blocks.flatMap((block) => [...block.matchAll(/^ {1,8}deadline: "?([^"\s]+)/gm)].map(([, time = ""]) => time));
}

describe("deadlines of documented objects", () => {
  it("lie years ahead", async () => {
    const all = (
      await Promise.all(PAGES.map(async (page) => (await deadlinesOf(page)).map((time) => ({ page, time }))))
    ).flat();
    expect(all.length).toBeGreaterThan(5);
    expect(all.filter(({ time }) => (parseTime(time) ?? 0) < FIRST)).toEqual([]);
  });
});
