import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { localPaths } from "../../../src/local/processes/local-paths.ts";
import type { LocalPaths } from "../../../src/local/processes/local-paths.ts";
import { prepareFolder } from "../../../src/local/control-plane/prepare-folder.ts";

let folder: string;
let paths: LocalPaths;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-folder-"));
  paths = localPaths(join(folder, ".landfall"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

test("creates the folder and records its process on the first run", async () => {
  await prepareFolder(paths, false);
  expect(await readFile(paths.lock, "utf8")).toBe(String(process.pid));
});

test("removes the files of a crashed run", async () => {
  await mkdir(paths.etcd, { recursive: true });
  // Above the largest process id that Linux gives out.
  await writeFile(paths.lock, "4194305");
  await prepareFolder(paths, false);
  expect(existsSync(paths.etcd)).toBe(false);
});

test("keeps the data and removes the rest with keep", async () => {
  await mkdir(paths.etcd, { recursive: true });
  await mkdir(paths.logs, { recursive: true });
  await prepareFolder(paths, true);
  expect([existsSync(paths.etcd), existsSync(paths.logs)]).toEqual([true, false]);
});

test("does not change a folder in use", async () => {
  await mkdir(paths.etcd, { recursive: true });
  await writeFile(paths.lock, String(process.ppid));
  await expect(prepareFolder(paths, false)).rejects.toMatchObject({
    code: "LOCAL_RUNNING",
    params: { pid: process.ppid },
  });
  expect(existsSync(paths.etcd)).toBe(true);
});
