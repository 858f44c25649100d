import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectPath } from "../../../../src/local/processes/project-path.ts";
import { writeTar } from "../../../../src/model/bundle-format/tar.ts";
import { builtBundle } from "../../../support/bundles/built-bundle.ts";
import { readTar } from "../../../../src/model/bundle-format/tar.ts";
import { compareApart } from "../../../../src/policy/process/read-apart.ts";

let folder: string;
let good: Buffer;
let built: Awaited<ReturnType<typeof builtBundle>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-hostile-"));
  built = await builtBundle();
  good = built.bytes;
});
afterAll(async () => {
  await built.remove();
  await rm(folder, { recursive: true, force: true });
});

/** The repository's bundle with these data. */
function withData(data: string): Buffer {
  const files = new Map([...readTar(good)].map(([name, body]) => [`/${name.replace(/^\//, "")}`, body]));
  return writeTar(files.set("/data.json", Buffer.from(data)), 1);
}

/** Below 16 MiB, and about 1 GB parsed. */
const MANY = `{"x":[${"{},".repeat(5_000_000)}{}]}`;
/** Deeper than a stack is. */
const DEEP = `${'{"a":'.repeat(500_000)}1${"}".repeat(500_000)}`;

/** What a command printed, and the most memory that its process had, in MiB. */
async function landfall(...args: string[]) {
  const child = spawn(process.execPath, [projectPath("src/cli/main.ts"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let most = 0;
  const watch = setInterval(() => {
    void readFile(`/proc/${String(child.pid)}/status`, "utf8")
      .then((status) => {
        most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
      })
      .catch(() => undefined);
  }, 20);
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  clearInterval(watch);
  return { output, errors, most };
}

async function fileOf(name: string, bytes: Uint8Array): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, bytes);
  return file;
}

describe("121: commands that read bundles which no one has verified", () => {
  it("inspect takes the memory of another process, and says so", async () => {
    const file = await fileOf("many.tar.gz", withData(MANY));
    const { errors, most } = await landfall("bundle", "inspect", file);
    expect(errors).toMatch(/takes more than 256 MiB of heap.*\[BUNDLE_UNREADABLE\]/s);
    expect(most).toBeGreaterThan(10);
    expect(most).toBeLessThan(400);
  }, 120_000);

  it("diff ends with an error with a code for data of any depth or number", async () => {
    const known = await fileOf("good.tar.gz", good);
    for (const [name, data] of [
      ["deep.tar.gz", DEEP],
      ["many.tar.gz", MANY],
    ] as const) {
      const { errors, most } = await landfall("bundle", "diff", known, await fileOf(name, withData(data)));
      expect(errors).toMatch(/\[(BUNDLE_UNREADABLE|ADM_INTERNAL)\]/);
      expect(most).toBeLessThan(400);
    }
  }, 240_000);

  it("inspect and diff read a good bundle as before", async () => {
    const file = await fileOf("good.tar.gz", good);
    expect((await landfall("bundle", "inspect", file)).output).toContain("landfall/main");
    const { output } = await landfall(
      "bundle",
      "diff",
      file,
      await fileOf("other.tar.gz", withData('{"landfall":{}}')),
    );
    expect(output).toContain("data.json");
  }, 120_000);

  it("end a process that takes too long", async () => {
    const tarball = { bytes: good, ref: "slow.tar.gz" };
    await expect(compareApart(tarball, tarball, { env: process.env, timeoutMs: 1 })).rejects.toMatchObject({
      code: "BUNDLE_UNREADABLE",
      message: expect.stringContaining("within 1 ms") as string,
    });
  });
});
