import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { writeTar } from "../../../src/model/bundle-format/tar.ts";
import { readBundle } from "../../../src/policy/read-bundle.ts";

const plain = (name: string): Buffer => gunzipSync(writeTar(new Map([[name, Buffer.from("x")]])));

/** The first entry made one of another type: 1 hard link, 2 symbolic link, 3 device. */
function ofType(type: string): Buffer {
  const tar = plain("/link");
  tar.write(type, 156);
  return gzipSync(tar);
}

const many = (): Buffer =>
  writeTar(new Map(Array.from({ length: 1001 }, (_, index) => [`/${String(index)}.json`, Buffer.alloc(0)])));

describe("an unsafe archive is rejected", () => {
  it.each<[string, () => Buffer, string]>([
    ["a name that leads out", () => gzipSync(plain("/../../etc/passwd")), "leads out"],
    ["the same in the middle", () => gzipSync(plain("a/../../b")), "leads out"],
    ["a symbolic link", () => ofType("2"), "not a plain file"],
    ["a hard link", () => ofType("1"), "not a plain file"],
    ["a device", () => ofType("3"), "not a plain file"],
    ["a zip bomb: 70 MB in 70 kB", () => gzipSync(Buffer.alloc(70 * 1024 * 1024)), "unpacks to more"],
    ["too many files", many, "more than 1000 files"],
  ])("%s", (_, bytes, text) => {
    const read = (): unknown => readBundle(bytes(), "bad");
    expect(read).toThrow(expect.objectContaining({ code: "BUNDLE_UNSAFE" }) as Error);
    expect(read).toThrow(text);
  });
});
