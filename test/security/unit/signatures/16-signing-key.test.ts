import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import { keepKeySecret } from "../../../../src/keys/keep-key-secret.ts";
import { ensureKeySecret, type KeySecret } from "../../../../src/keys/key-secret.ts";
import { idOf, type KeyEntry, keysAmong, makeKey, ringAt } from "../../../../src/keys/key-entries.ts";
import { ensureKeyFile, readKeyFiles, writeKeyFile } from "../../../../src/keys/key-files.ts";
import { openKeys } from "../../../../src/keys/open-keys.ts";
import { openParts } from "../../../../webhook/open-parts.ts";

const NOW = 1_795_212_000;
const FIRST: KeyEntry = { name: "seal.key", bytes: Buffer.alloc(32, 1) };

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "landfall-key-"));
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

describe("16: stored keys", () => {
  it.each([0, 1, 31])("are refused with %i bytes, beside a good one too", (bytes) => {
    const short = { name: "seal.key", bytes: Buffer.alloc(bytes, 1) };
    for (const entries of [[short], [makeKey(NOW), short]])
      expect(() => keysAmong(entries, "x", "ADM_SIGNING_KEY")).toThrow(
        expect.objectContaining({
          code: "ADM_SIGNING_KEY",
          message: expect.stringContaining(`x/seal.key cannot be used: it has ${String(bytes)} bytes`) as string,
        }) as Error,
      );
  });

  it.each([
    ["nothing", []],
    ["other entries", [{ name: "..data", bytes: Buffer.alloc(32) }]],
  ])("are refused if there is %s", (_, entries) => {
    expect(() => keysAmong(entries, "x", "REL_SIGNING_KEY")).toThrow("it holds no key");
  });

  it("name a new key by its time and id, which is read back", () => {
    const key = makeKey(NOW);
    expect(key.name).toBe(`20261120T220000Z-${idOf(key)}.key`);
    expect(key.bytes).toHaveLength(32);
    expect(keysAmong([FIRST, key], "x", "ADM_SIGNING_KEY")).toEqual([key, FIRST]);
  });

  it("sign with the newest that every process has read, and verify with all", () => {
    const key = makeKey(NOW);
    const idsAt = (seconds: number) => ringAt([key, FIRST], seconds).map(({ id }) => id);
    expect(idsAt(NOW + 59)).toEqual([idOf(FIRST), idOf(key)]);
    expect(idsAt(NOW + 60)).toEqual([idOf(key), idOf(FIRST)]);
    expect(ringAt([key], NOW)[0].id).toBe(idOf(key));
  });

  it("are followed, and stay in use while they cannot be read", async () => {
    const [one, two] = [FIRST, makeKey(NOW - 100)];
    let stored: KeyEntry[] | null = [one];
    const failures: unknown[] = [];
    const options = { where: "x", code: "ADM_SIGNING_KEY", nowSeconds: () => NOW, everyMs: 5 } as const;
    const read = () => Promise.resolve(stored);
    const keys = await openKeys({ ...options, read, onFailure: (thrown) => failures.push(thrown) });
    const seen: string[] = [];
    keys.subscribe(([{ id }]) => seen.push(id));
    stored = [one, two];
    await vi.waitFor(() => expect(seen).toEqual([idOf(two)]));
    stored = null;
    await vi.waitFor(() => expect(failures.length).toBeGreaterThan(0));
    expect(keys.ring().map(({ id }) => id)).toEqual([idOf(two), idOf(one)]);
    keys.stop();
  });
});

/** A Secret as the API server keeps it. */
function fakeSecret(entries: KeyEntry[] | null): KeySecret & { stored: () => KeyEntry[]; remove: () => void } {
  let [stored, version] = [entries, 1];
  return {
    remove() {
      stored = null;
    },
    where: "landfall-system/landfall-signing-keys",
    stored: () => stored ?? [],
    read: () => Promise.resolve(stored === null ? null : { entries: [...stored], resourceVersion: String(version) }),
    create(made) {
      if (stored !== null) return Promise.resolve(false);
      stored = [...made];
      return Promise.resolve(true);
    },
    replace(changed, resourceVersion) {
      if (resourceVersion !== String(version)) return Promise.reject(new ApiError(409, { action: "PUT", detail: "" }));
      [stored, version] = [[...changed], version + 1];
      return Promise.resolve();
    },
  };
}

describe("16: the Secret of the keys", () => {
  it("is made once by several replicas, with one key", async () => {
    const secret = fakeSecret(null);
    await Promise.all(Array.from({ length: 8 }, () => ensureKeySecret(secret, null, NOW)));
    expect(secret.stored()).toHaveLength(1);
    expect(keysAmong(secret.stored(), "x", "ADM_SIGNING_KEY")[0].bytes).toHaveLength(32);
  });

  it("gets the key of version 0.1.0, also where another replica was first", async () => {
    const [fresh, late] = [fakeSecret(null), fakeSecret([makeKey(NOW)])];
    await ensureKeySecret(fresh, FIRST, NOW);
    expect(fresh.stored()).toEqual([FIRST]);
    await Promise.all([1, 2, 3].map(() => ensureKeySecret(late, FIRST, NOW)));
    expect(late.stored().map(({ name }) => name)).toEqual([late.stored()[0]?.name, "seal.key"]);
    expect(ringAt(keysAmong(late.stored(), "x", "ADM_SIGNING_KEY"), NOW + 60)).toHaveLength(2);
  });

  it("is never filled if it is empty: somebody emptied it", async () => {
    const secret = fakeSecret([]);
    await ensureKeySecret(secret, null, NOW);
    expect(secret.stored()).toEqual([]);
    await expect(ensureKeySecret(secret, FIRST, NOW)).rejects.toMatchObject({ code: "ADM_SIGNING_KEY" });
  });

  it("is put back once with the known keys after it was deleted, before another webhook starts", async () => {
    const keys = [makeKey(NOW), makeKey(NOW - 100)];
    const secret = fakeSecret(keys);
    let restored = 0;
    const replicas = [1, 2, 3].map(() => keepKeySecret(secret, () => (restored += 1)));
    for (const read of replicas) expect(await read()).toEqual(keys);
    secret.remove();
    for (const read of replicas) expect(await read()).toEqual(keys);
    await ensureKeySecret(secret, null, NOW);
    expect([secret.stored(), restored]).toEqual([keys, 1]);
  });

  it("loses a key that was removed from it, also if it is deleted afterwards", async () => {
    const [kept, removed] = [makeKey(NOW), makeKey(NOW - 100)];
    const secret = fakeSecret([kept, removed]);
    const read = keepKeySecret(secret, () => undefined);
    await read();
    await secret.replace([kept], "1");
    expect(await read()).toEqual([kept]);
    secret.remove();
    expect(await read()).toEqual([kept]);
  });

  it("stays empty if someone emptied it, and gets the known keys if that one is deleted", async () => {
    const keys = [makeKey(NOW)];
    const secret = fakeSecret(keys);
    const read = keepKeySecret(secret, () => undefined);
    await read();
    await secret.replace([], "1");
    await expect(read()).rejects.toMatchObject({ code: "ADM_SIGNING_KEY" });
    expect(secret.stored()).toEqual([]);
    secret.remove();
    expect(await read()).toEqual(keys);
  });

  it("is not made from an empty key of version 0.1.0", async () => {
    const secret = fakeSecret(null);
    await expect(ensureKeySecret(secret, { ...FIRST, bytes: Buffer.alloc(0) }, NOW)).rejects.toMatchObject({
      code: "ADM_SIGNING_KEY",
    });
    expect(await secret.read()).toBeNull();
  });
});

describe("16: a folder of keys", () => {
  it("gets one key from several replicas, complete and readable for its owner only", async () => {
    await Promise.all(Array.from({ length: 8 }, () => ensureKeyFile(dir)));
    expect(await readdir(dir)).toEqual(["seal.key"]);
    const file = join(dir, "seal.key");
    expect(await readFile(file)).toHaveLength(32);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await ensureKeyFile(dir);
    expect(await readKeyFiles(dir, "ADM_SIGNING_KEY")).toEqual([{ name: "seal.key", bytes: await readFile(file) }]);
  });

  it("is read with the keys that were added, and as one file", async () => {
    const key = makeKey(NOW);
    await writeFile(join(dir, "seal.key"), FIRST.bytes);
    await writeKeyFile(dir, key.name, key.bytes);
    await writeFile(join(dir, "notes.txt"), "none");
    const read = keysAmong(await readKeyFiles(dir, "REL_SIGNING_KEY"), dir, "REL_SIGNING_KEY");
    expect(read.map(idOf)).toEqual([idOf(key), idOf(FIRST)]);
    const alone = await readKeyFiles(join(dir, key.name), "REL_SIGNING_KEY");
    expect(alone.map(idOf)).toEqual([idOf(key)]);
  });

  it("that is not there is an error with a code", async () => {
    const reading = readKeyFiles(join(dir, "none"), "REL_SIGNING_KEY");
    await expect(reading).rejects.toMatchObject({ code: "REL_SIGNING_KEY" });
  });
});

it("16: the webhook does not start with an empty key of version 0.1.0", async () => {
  await writeFile(join(dir, "seal.key"), "");
  await writeFile(join(dir, "policy.tar.gz"), "");
  const create = vi.fn();
  const client = { get: () => Promise.resolve(null), create };
  const bundle = { bundle: join(dir, "policy.tar.gz"), unsigned: true };
  const flags = { dataDir: dir, systemNamespace: "landfall-system", ...bundle };
  const parts = openParts(flags as never, { client, logger: {}, env: {} } as never);
  await expect(parts).rejects.toMatchObject({ code: "ADM_SIGNING_KEY" });
  expect(create).not.toHaveBeenCalled();
  expect((await stat(join(dir, "seal.key"))).size).toBe(0);
});
