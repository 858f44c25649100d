import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chooseWorker } from "../../../../src/composition/helm/choose-worker.ts";
import { cachedPath } from "../../../../src/toolchain/cache-paths.ts";
import { readManifest } from "../../../../src/toolchain/resolve-tool.ts";
import { cachedToolPath, defaultToolchain } from "../../../../src/toolchain/tool-path.ts";

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-choose-worker-"));
  program = join(folder, "helm-worker");
  await writeFile(program, "");
  await chmod(program, 0o755);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it("uses the worker where its program is, unless helm's own is asked for", async () => {
  const there = { worker: program, about: "worker" };
  expect(await chooseWorker("auto", program)).toEqual(there);
  expect(await chooseWorker("worker", program)).toEqual(there);
  expect(await chooseWorker("program", program)).toEqual({ worker: null, about: "program" });
});

it.each([
  [
    "is not there",
    () => join(folder, "missing"),
    /^program, since there is no worker: \S+\/missing: there is no such file/,
  ],
  ["is not named", () => undefined, /^program, since there is no worker: --helm-worker names no program$/],
])("calls helm's program if that of the worker %s, unless it has to be the worker", async (_, file, about) => {
  const chosen = await chooseWorker("auto", file());
  expect(chosen).toEqual({ worker: null, about: expect.stringMatching(about) as string });
  await expect(chooseWorker("worker", file())).rejects.toMatchObject({ code: "REL_HELM_WORKER" });
});

it("takes a program that cannot be executed for one that is missing", async () => {
  const plain = join(folder, "plain");
  await writeFile(plain, "");
  await chmod(plain, 0o644);
  expect((await chooseWorker("auto", plain)).about).toContain("plain: this user has no right to it");
});

it("finds a tool that was built before, and builds none", async () => {
  const { toolsFolder } = defaultToolchain();
  const spec = readManifest(toolsFolder).find(({ name }) => name === "helm-worker");
  const built = spec === undefined ? "" : cachedPath(folder, spec);
  expect(cachedToolPath("helm-worker", { cacheFolder: folder })).toBeNull();
  await mkdir(dirname(built), { recursive: true });
  await writeFile(built, "");
  expect(cachedToolPath("helm-worker", { cacheFolder: folder })).toBe(built);
});
