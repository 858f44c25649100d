import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkSource } from "../../../src/cli/commands/bundle/check-source.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-source-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A folder `team/bundle` with this file of settings. */
async function bundleWith(name: string, text: string): Promise<string> {
  const source = join(folder, "team", "bundle");
  await mkdir(join(source, "landfall", "settings"), { recursive: true });
  await writeFile(join(source, "landfall", "settings", name), text);
  return source;
}

describe("the folder of a platform's policies", () => {
  it("is accepted as shipped, and with settings in one document", async () => {
    await expect(checkSource("policies/bundle")).resolves.toBeUndefined();
    await cp("policies/bundle", join(folder, "copy"), { recursive: true });
    await expect(checkSource(join(folder, "copy"))).resolves.toBeUndefined();
  });

  it("is refused if it is not there, or holds nothing", async () => {
    const missing = { code: "CLI_INPUT", remedy: "check the path: --source is a folder" };
    await expect(checkSource(join(folder, "nowhere"))).rejects.toMatchObject(missing);
    await expect(checkSource(folder)).rejects.toMatchObject({
      message: `${folder}: it has no landfall/settings/data.yaml`,
      remedy: "give a folder that `landfall scaffold bundle` made",
    });
  });

  it("is named if the folder above it is given", async () => {
    const source = await bundleWith("data.yaml", "os: linux\n");
    await expect(checkSource(join(folder, "team"))).rejects.toMatchObject({ remedy: `give --source ${source}` });
  });

  it.each(["data.yml", "data.json"])("is refused with its settings in %s, which no one reads", async (name) => {
    const source = await bundleWith(name, "{}");
    await expect(checkSource(source)).rejects.toMatchObject({
      remedy: `write the settings as YAML into landfall/settings/data.yaml, instead of landfall/settings/${name}`,
    });
  });

  it.each([
    ["a tab", "places:\n\tdenied: []\n", "write spaces instead"],
    ["a setting twice", "os: linux\nos: linux\n", "write the field once"],
  ])("is refused for %s in its settings, with the line", async (_what, text, correction) => {
    const source = await bundleWith("data.yaml", text);
    const fault = { code: "CLI_YAML", params: { line: 2, correction } };
    await expect(checkSource(source)).rejects.toMatchObject(fault);
  });

  it("is refused if its settings are several documents", async () => {
    const source = await bundleWith("data.yaml", "os: linux\n---\nos: linux\n");
    await expect(checkSource(source)).rejects.toMatchObject({ remedy: "write the settings as one map, without ---" });
  });
});
