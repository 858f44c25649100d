import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { imagePlatform, pushImage } from "../../../scripts/image/push-image.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { startRegistry, type TestRegistry } from "../../support/bundles/registry.ts";

let folder: string;
let small: string;
let base: string;
let crane: string;
let registry: TestRegistry;

afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

describe("the image", () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "landfall-push-"));
    crane = await toolPath("crane");
    registry = await startRegistry(crane);
    const empty = join(folder, "empty");
    await mkdir(join(empty, "lib"), { recursive: true });
    await writeFile(join(empty, "lib/libc.so.6"), "");
    await execa("tar", ["-cf", join(folder, "base.tar"), "-C", empty, "."]);
    const tag = `${registry.host}/base:1`;
    const { stdout } = await execa(crane, [
      "append",
      "--insecure",
      "--new_layer",
      join(folder, "base.tar"),
      "--new_tag",
      tag,
    ]);
    base = stdout.trim();
    small = join(folder, "small");
    await mkdir(join(small, "app"), { recursive: true });
    await writeFile(join(small, "app/package.json"), "{}");
  });

  const push = (onto: string, platform: string) =>
    pushImage({ crane, tree: small, base: onto, ref: `${registry.host}/landfall:1`, platform, plainHttp: true });
  const configOf = async (image: string) =>
    JSON.parse((await execa(crane, ["config", "--insecure", image])).stdout) as Record<string, unknown>;

  it("is one layer on its base, starts node as nobody, and is the same again", async () => {
    const { ref: image, layerBytes } = await push(base, "linux/amd64");
    expect((await configOf(image))["config"]).toMatchObject({
      User: "65532:65532",
      WorkingDir: "/app",
      Entrypoint: ["/usr/local/bin/node"],
    });
    const manifest = (await execa(crane, ["manifest", "--insecure", image])).stdout;
    const { layers } = JSON.parse(manifest) as { layers: { size: number }[] };
    expect(layers.map(({ size }) => size)).toEqual([expect.any(Number), layerBytes]);
    // Another time of a file changes nothing.
    await writeFile(join(small, "app/package.json"), "{}");
    expect((await push(base, "linux/amd64")).ref).toBe(image);
  });

  it.each(["linux/amd64", "linux/arm64"])("takes the base's image for %s, where it has several", async (platform) => {
    const of = async (name: string): Promise<string> => {
      const tag = `${registry.host}/base:${name}`;
      await execa(crane, ["mutate", "--insecure", base, "--set-platform", `linux/${name}`, "--tag", tag]);
      return tag;
    };
    const several = `${registry.host}/base:several`;
    const members = ["-m", await of("amd64"), "-m", await of("arm64")];
    await execa(crane, ["index", "append", "--insecure", ...members, "-t", several]);
    const digest = (await execa(crane, ["digest", "--insecure", several])).stdout.trim();
    const { ref } = await push(`${registry.host}/base@${digest}`, platform);
    const { os, architecture } = await configOf(ref);
    expect(`${String(os)}/${String(architecture)}`).toBe(platform);
  });

  it("is of this machine's platform, and refused where Node is not for Linux or for an unknown processor", () => {
    expect([imagePlatform("linux", "x64"), imagePlatform("linux", "arm64")]).toEqual(["linux/amd64", "linux/arm64"]);
    for (const [os, arch] of [
      ["darwin", "arm64"],
      ["win32", "x64"],
      ["linux", "riscv64"],
    ] as const)
      expect(() => imagePlatform(os, arch)).toThrow(
        expect.objectContaining({ code: "CLI_USAGE", message: expect.stringContaining(`${os} ${arch}`) as string }),
      );
  });

  it("is refused on a base that is not named by its digest", async () => {
    const pushed = pushImage({
      crane,
      tree: small,
      platform: "linux/amd64",
      base: "registry.example/base:1",
      ref: `${registry.host}/landfall:2`,
      plainHttp: true,
    });
    await expect(pushed).rejects.toMatchObject({
      code: "CLI_USAGE",
      line: expect.stringContaining("by its digest") as string,
    });
  });
});
