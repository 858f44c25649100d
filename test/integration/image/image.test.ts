import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assembleTree, type Part } from "../../../scripts/image/assemble-tree.ts";
import { baseImage } from "../../../scripts/image/base-image.ts";
import { pushImage } from "../../../scripts/image/push-image.ts";
import { writeSbom } from "../../../scripts/image/write-sbom.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { startRegistry, type TestRegistry } from "../../support/bundles/registry.ts";

const MB = 1_000_000;
let folder: string;
let tree: string;
let crane: string;
let parts: Part[];
let registry: TestRegistry;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-image-"));
  tree = join(folder, "tree");
  crane = await toolPath("crane");
  registry = await startRegistry(crane);
  const [helm, worker] = [await toolPath("helm"), await toolPath("helm-worker")];
  const programs = { node: process.execPath, helm, "helm-worker": worker, crane };
  parts = await assembleTree({ out: tree, programs });
});

afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

const filesOf = async (path: string): Promise<string[]> => {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

describe("the file tree of the image", () => {
  it("has at most 220 MB without helm and its worker, in parts that add up", async () => {
    const sizes = await Promise.all((await filesOf(tree)).map(async (file) => (await stat(file)).size));
    expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(sizes.reduce((sum, size) => sum + size, 0));
    const withoutHelm = parts
      .filter(({ name }) => !/\/helm(-worker)?$/.test(name))
      .reduce((sum, { bytes }) => sum + bytes, 0);
    expect(withoutHelm).toBeLessThan(220 * MB);
    expect(parts.filter(({ bytes }) => bytes === 0)).toEqual([]);
  });

  it("has neither types nor what only development needs", async () => {
    const files = await filesOf(join(tree, "app"));
    const packages = await readdir(join(tree, "app/node_modules"));
    expect(packages).toContain("fastify");
    expect(
      ["vitest", "typescript", "oxlint", "oxfmt", "@types", "node"].filter((name) => packages.includes(name)),
    ).toEqual([]);
    expect(files.filter((file) => /\.d\.ts$|\.test\.ts$|src\/local\//.test(file))).toEqual([]);
  });

  it.each(["webhook/main.ts", "src/composition/main.ts", "src/elemento/main.ts", "bin/landfall.js"])(
    "starts %s, which prints its help",
    async (entry) => {
      const node = join(tree, "usr/local/bin/node");
      const { stdout, failed } = await execa(node, [entry, "--help"], {
        cwd: join(tree, "app"),
        env: {},
        extendEnv: false,
        reject: false,
      });
      expect([failed, stdout]).toEqual([false, expect.stringContaining("Usage:")]);
    },
  );

  it("loads every command of the command line", async () => {
    const node = join(tree, "usr/local/bin/node");
    const { stdout } = await execa(node, ["bin/landfall.js", "--help"], {
      cwd: join(tree, "app"),
      env: {},
      extendEnv: false,
    });
    expect(stdout).toMatch(/doctor[\s\S]*unregister/);
  });
});

describe("the bill of materials", () => {
  interface Bill {
    specVersion: string;
    components: { type: string; name: string; version: string; purl: string; "bom-ref": string }[];
  }

  it("lists each package of the tree, and the programs with their modules", async () => {
    const file = join(folder, "sbom.cdx.json");
    const count = await writeSbom(file, tree, [await toolPath("helm"), await toolPath("helm-worker"), crane]);
    const bill = JSON.parse(await readFile(file, "utf8")) as Bill;
    expect([bill.specVersion, bill.components.length]).toEqual(["1.5", count]);
    const names = new Set(bill.components.map(({ name }) => name));
    const installed = (await readdir(join(tree, "app/node_modules"))).filter((name) => /^[a-z]/.test(name));
    expect(installed.filter((name) => !names.has(name))).toEqual([]);
    expect(["vitest", "typescript"].filter((name) => names.has(name))).toEqual([]);
    const programs = bill.components.filter(({ type }) => type === "application").map(({ name }) => name);
    expect(programs.sort()).toEqual(["github.com/google/go-containerregistry", "helm.sh/helm/v4", "node"]);
    expect(names).toContain("k8s.io/client-go");
    expect(bill.components.find(({ name }) => name === "fastify")).toMatchObject({ licenses: [{ expression: "MIT" }] });
    const refs = bill.components.map((one) => one["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
  });
});

describe("the Dockerfile", () => {
  it("pins its bases, and ends as the image that is pushed without an engine", async () => {
    const text = await readFile(new URL("../../../Dockerfile", import.meta.url), "utf8");
    const bases = text.split("\n").filter((line) => line.startsWith("FROM "));
    expect(bases.length).toBeGreaterThan(1);
    expect(bases.filter((line) => !/@sha256:[0-9a-f]{64}( AS \w+)?$/.test(line))).toEqual([]);
    expect(await baseImage()).toMatch(/^gcr\.io\/distroless\/cc-debian12:nonroot@sha256:/);
    expect(text).toMatch(/USER 65532:65532\nWORKDIR \/app\nENTRYPOINT \["\/usr\/local\/bin\/node"\]/);
  });
});

describe("the image", () => {
  let base: string;

  beforeAll(async () => {
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
  });

  it("is one layer on its base, starts node as nobody, and is the same again", async () => {
    const small = join(folder, "small");
    await mkdir(join(small, "app"), { recursive: true });
    await writeFile(join(small, "app/package.json"), "{}");
    const push = () => pushImage({ crane, tree: small, base, ref: `${registry.host}/landfall:1`, plainHttp: true });
    const { ref: image, layerBytes } = await push();
    const read = async (what: "config" | "manifest"): Promise<Record<string, unknown>> =>
      JSON.parse((await execa(crane, [what, "--insecure", image])).stdout) as Record<string, unknown>;
    expect((await read("config"))["config"]).toMatchObject({
      User: "65532:65532",
      WorkingDir: "/app",
      Entrypoint: ["/usr/local/bin/node"],
    });
    const layers = (await read("manifest"))["layers"] as { size: number }[];
    expect(layers.map(({ size }) => size)).toEqual([expect.any(Number), layerBytes]);
    // Another time of a file changes nothing.
    await writeFile(join(small, "app/package.json"), "{}");
    expect((await push()).ref).toBe(image);
  });

  it("is refused on a base that is not named by its digest", async () => {
    const pushed = pushImage({
      crane,
      tree,
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
