import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkForbiddenText } from "../../../scripts/check/check-forbidden-text.ts";

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "landfall-text-"));
  execFileSync("git", ["init", "--quiet"], { cwd: dir });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function found(text: string): Promise<string[]> {
  await writeFile(join(dir, "file.md"), text);
  return checkForbiddenText(dir);
}

const registry = ["registry", "npmjs", "org"].join(".");

describe("forbidden text", () => {
  it.each([
    ["the host of a package registry", `see\nhttps://${registry}/x`, `file.md:2: holds ${registry}`],
    ["the project's own place on this machine", "run it in {root}/x", "file.md:1: holds {root}/"],
    ["the user's home", `cache: ${join(homedir(), "cache")}`, `file.md:1: holds ${join(homedir(), "/")}`],
  ])("%s", async (_name, text, problem) => {
    expect(await found(text.replace("{root}", dir))).toEqual([problem.replace("{root}", dir)]);
  });

  it.each([
    ["a relative path", `see ./chart${join(homedir(), "x")}`],
    ["the home of a user in a machine", "path: /home/azureuser/.ssh/authorized_keys"],
    ["the address of a project", "https://github.com/acme/x"],
  ])("but %s is fine", async (_name, text) => {
    expect(await found(text)).toEqual([]);
  });

  it("is found in untracked files too, but not in ignored ones", async () => {
    await writeFile(join(dir, ".gitignore"), "ignored.md\n");
    await writeFile(join(dir, "ignored.md"), registry);
    expect(await found("nothing")).toEqual([]);
  });
});
