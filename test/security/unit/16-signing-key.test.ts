import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSigningKey as readInController } from "../../../src/composition/decision/read-signing-key.ts";
import { openParts } from "../../../webhook/open-parts.ts";
import { readSigningKey as readInWebhook } from "../../../webhook/read-signing-key.ts";

let dir: string;
let file: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "landfall-key-"));
  file = join(dir, "seal.key");
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

describe.each([
  ["webhook", "ADM_SIGNING_KEY", () => readInWebhook(dir)],
  ["controller", "REL_SIGNING_KEY", () => readInController(file)],
] as const)("16: the signing key of the %s", (_, code, read) => {
  it.each([0, 1, 31])("is refused with %i bytes, and the file stays", async (bytes) => {
    await writeFile(file, Buffer.alloc(bytes, 1));
    await expect(read()).rejects.toMatchObject({ code });
    await expect(read()).rejects.toThrow(`it has ${String(bytes)} bytes, fewer than 32`);
    expect((await stat(file)).size).toBe(bytes);
  });

  it("is read with 32 bytes", async () => {
    await writeFile(file, Buffer.alloc(32, 1));
    expect((await read())[0].key.export()).toEqual(Buffer.alloc(32, 1));
  });
});

describe("16: the first start of the webhook", () => {
  it("stops with an empty key", async () => {
    await writeFile(file, "");
    const parts = openParts({ dataDir: dir } as never, { client: {}, logger: {}, env: {} } as never);
    await expect(parts).rejects.toMatchObject({ code: "ADM_SIGNING_KEY" });
  });

  it("writes one key for several replicas, complete and readable for its owner only", async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => readInWebhook(dir)));
    const written = await readFile(file);
    expect(written).toHaveLength(32);
    for (const key of keys) expect(key[0].key.export()).toEqual(written);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(dir)).toEqual(["seal.key"]);
  });
});
