import { generateKeyPairSync, sign } from "node:crypto";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Tarball } from "../../../../../src/bundle/open-source.ts";
import { signBundleFiles } from "../../../../../src/bundle/signature/sign-bundle-files.ts";
import { verifyFiles, verifyOutside } from "../../../../../src/bundle/signature/verify-files.ts";
import { readTar, writeTar } from "../../../../../src/model/bundle-format/tar.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const TRUST = { mode: "required", keys: [publicKey], identities: [], root: null } as const;
const MIB = 1024 * 1024;
const parse = vi.spyOn(JSON, "parse");
/** Characters of the longest text that was parsed. */
const longest = (): number => Math.max(0, ...parse.mock.calls.map(([text]) => text.length));

beforeEach(() => {
  parse.mockClear();
});
afterAll(() => {
  parse.mockRestore();
});

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token of a trusted key about these files. */
function signatures(files: unknown): string {
  const head = `${encode({ alg: "ES256", typ: "JWT" })}.${encode({ files })}`;
  const made = sign("sha256", Buffer.from(head), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return JSON.stringify({ signatures: [`${head}.${made.toString("base64url")}`] });
}

/** So many MiB of empty objects: parsed, they take thirty times as much. */
const objects = (mib: number): string => `{"a":[${"{},".repeat(Math.floor((mib * MIB) / 3) - 10)}{}]}`;

const tarball = (files: Record<string, string>): Buffer =>
  writeTar(new Map(Object.entries(files).map(([name, body]) => [`/${name}`, Buffer.from(body)])), 1);

const packed = (bytes: Buffer, signed: boolean) => ({ bytes, ref: "r", signed });

const coded = (code: string): Error => expect.objectContaining({ code }) as Error;

describe("101: the main thread parses no data of a bundle", () => {
  const bomb = tarball({ ".manifest": "{}", "data.json": objects(6), ".signatures.json": signatures([]) });

  it("whose image is signed: its files are verified where it is loaded", () => {
    verifyOutside(packed(bomb, true), TRUST);
    expect(longest()).toBe(0);
  });

  it("without a signature of its image: names and other files are compared", () => {
    const good = signBundleFiles(
      tarball({ ".manifest": "{}", "data.json": objects(1), "policy.wasm": "w" }),
      privateKey,
    );
    parse.mockClear();
    verifyOutside(packed(good, false), TRUST);
    expect(longest()).toBeLessThan(10_000);
    const files = new Map([...readTar(good)].map(([name, body]) => [`/${name}`, body]));
    const changed = writeTar(new Map([...files, ["/policy.wasm", Buffer.from("x")]]), 1);
    expect(() => {
      verifyOutside(packed(changed, false), TRUST);
    }).toThrow(coded("BUNDLE_TAMPERED"));
    const manifest = writeTar(new Map([...files, ["/.manifest", Buffer.from('{"revision":"x"}')]]), 1);
    expect(() => {
      verifyOutside(packed(manifest, false), TRUST);
    }).toThrow(coded("BUNDLE_TAMPERED"));
    const more = writeTar(new Map([...files, ["/x/data.json", Buffer.from("{}")]]), 1);
    expect(() => {
      verifyOutside(packed(more, false), TRUST);
    }).toThrow(coded("BUNDLE_TAMPERED"));
    const data = writeTar(new Map([...files, ["/data.json", Buffer.from("{}")]]), 1);
    verifyOutside(packed(data, false), TRUST);
    expect(() => verifyFiles(packed(data, false), TRUST)).toThrow(coded("BUNDLE_TAMPERED"));
  });

  it.each([true, false])("and a manifest or list of signatures only up to its limit (signed: %s)", (signed) => {
    const large = tarball({ ".manifest": objects(1), ".signatures.json": signatures([]) });
    const trust = { ...TRUST, channel: "prod" };
    expect(() => {
      verifyOutside(packed(large, signed), trust);
    }).toThrow(coded("BUNDLE_LIMIT"));
    expect(longest()).toBe(0);
  });
});

describe("101: files of a bundle are verified", () => {
  const SOME = { ".manifest": "{}", "policy.wasm": "w" };

  it("by their names before any is parsed", () => {
    const bomb = tarball({ ...SOME, "data.json": objects(3), ".signatures.json": signatures([]) });
    expect(() => verifyFiles(packed(bomb, true), TRUST)).toThrow(".manifest is not as it was signed");
    expect(longest()).toBeLessThan(1000);
  });

  it("up to the size that their kind may have, all data together", () => {
    const names = [".manifest", "policy.wasm", "data.json", "x/data.json"].map((name) => ({ name, hash: "0" }));
    const two = { ...SOME, "data.json": objects(3), "x/data.json": objects(3) };
    const bomb = tarball({ ...two, ".signatures.json": signatures(names) });
    expect(() => verifyFiles(packed(bomb, true), TRUST, 4 * MIB)).toThrow(coded("BUNDLE_LIMIT"));
    expect(longest()).toBe(0);
    const largest = tarball({ ...SOME, "data.json": objects(17), ".signatures.json": signatures(names.slice(0, 3)) });
    expect(() => verifyFiles(packed(largest, true), TRUST)).toThrow(coded("BUNDLE_LIMIT"));
    expect(longest()).toBe(0);
    const good = signBundleFiles(tarball({ ...SOME, "data.json": objects(3) }), privateKey);
    expect(verifyFiles(packed(good, true), TRUST, 4 * MIB)).toHaveLength(1);
  });
});

it("101: what a source hands to the main thread is verified there without its data", async () => {
  const { openSource } = await import("../../../../../src/bundle/open-source.ts");
  const source = await openSource("registry.example/r:1", {}, TRUST);
  const bytes = tarball({ ".manifest": "{}", "data.json": objects(2), ".signatures.json": signatures([]) });
  const image: Tarball = { bytes, digest: "sha256:0", signed: true, signers: ["one"] };
  parse.mockClear();
  source.verify(image);
  expect(longest()).toBe(0);
  await source.close();
});
