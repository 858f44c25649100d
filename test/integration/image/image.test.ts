import { mkdtemp, readdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assembleTree, type Part } from "../../../scripts/image/assemble-tree.ts";
import { baseImage } from "../../../scripts/image/base-image.ts";
import { packLayer } from "../../../scripts/image/push-image.ts";
import { writeSbom } from "../../../scripts/image/write-sbom.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import tools from "../../../tools/tools.json" with { type: "json" };

const MB = 1_000_000;
const helmVersion = tools.modules.find(({ folder: name }) => name === "helm")?.version;
let folder: string;
let tree: string;
let crane: string;
let parts: Part[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-image-"));
  tree = join(folder, "tree");
  crane = await toolPath("crane");
  const programs = { node: process.execPath, "helm-worker": await toolPath("helm-worker"), crane };
  parts = await assembleTree({ out: tree, programs });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const filesOf = async (path: string): Promise<string[]> => {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

describe("the file tree of the image", () => {
  it("has at most 220 MB without helm, in parts that add up", async () => {
    const sizes = await Promise.all((await filesOf(tree)).map(async (file) => (await stat(file)).size));
    expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(sizes.reduce((sum, size) => sum + size, 0));
    const withoutHelm = parts
      .filter(({ name }) => !name.endsWith("/helm-worker"))
      .reduce((sum, { bytes }) => sum + bytes, 0);
    expect(withoutHelm).toBeLessThan(220 * MB);
    expect(parts.filter(({ bytes }) => bytes === 0)).toEqual([]);
  });

  it("has at most 80 MB compressed with helm, which leaves its base 10 MB of 90", { timeout: 180_000 }, async () => {
    const layer = join(folder, "layer.tar.gz");
    await packLayer(tree, layer);
    expect((await stat(layer)).size).toBeLessThan(80 * MB);
  });

  it("has one program that is the worker, and helm by that name", async () => {
    const bin = join(tree, "usr/local/bin");
    expect(await readlink(join(bin, "helm"))).toBe("helm-worker");
    const run = async (file: string, ...args: string[]) => {
      const { stdout, stderr, exitCode } = await execa(file, args, { reject: false, env: { HOME: folder }, input: "" });
      return { stdout, stderr, exitCode };
    };
    const own = join(bin, "helm");
    const stock = await toolPath("helm");
    const calls = [
      ["version", "--template", "{{.Version}}"],
      ["help"],
      ["template", "vm", "charts/vmtemplate", "--values", "charts/vmtemplate/ci/aws-values.yaml"],
      ["template", "vm", "charts/nowhere"],
      ["no-command"],
    ];
    for (const args of calls) expect(await run(own, ...args), args.join(" ")).toEqual(await run(stock, ...args));
    const said = await run(join(bin, "helm-worker"));
    expect([said.exitCode, JSON.parse(said.stdout)]).toEqual([0, { protocol: 1, helm: helmVersion }]);
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
    const count = await writeSbom(file, tree, [await toolPath("helm-worker"), crane]);
    const bill = JSON.parse(await readFile(file, "utf8")) as Bill;
    expect([bill.specVersion, bill.components.length]).toEqual(["1.5", count]);
    const names = new Set(bill.components.map(({ name }) => name));
    const installed = (await readdir(join(tree, "app/node_modules"))).filter((name) => /^[a-z]/.test(name));
    expect(installed.filter((name) => !names.has(name))).toEqual([]);
    expect(["vitest", "typescript"].filter((name) => names.has(name))).toEqual([]);
    const programs = bill.components.filter(({ type }) => type === "application").map(({ name }) => name);
    expect(programs.sort()).toEqual(["github.com/google/go-containerregistry", "node"]);
    expect(bill.components.find(({ name }) => name === "helm.sh/helm/v4")?.version).toBe(`v${helmVersion}`);
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
