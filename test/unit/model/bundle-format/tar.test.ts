import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readTar, writeTar } from "../../../../src/model/bundle-format/tar.ts";

const files = new Map([
  ["/b/two.txt", Buffer.from("two")],
  ["/a.txt", Buffer.alloc(1500, "x")],
  ["/empty", Buffer.alloc(0)],
]);

describe("a tar archive", () => {
  it("returns its content, without leading slashes", () => {
    const read = readTar(writeTar(files));
    expect([...read.keys()]).toEqual(["a.txt", "b/two.txt", "empty"]);
    expect(read.get("b/two.txt")?.toString()).toBe("two");
    expect(read.get("a.txt")?.length).toBe(1500);
  });

  it("has the same bytes regardless of the order of files", () => {
    expect(writeTar(new Map([...files].reverse())).equals(writeTar(files))).toBe(true);
  });

  it("is rejected if it is truncated, empty or not compressed", () => {
    const tar = gunzipSync(writeTar(files));
    expect(() => readTar(gzipSync(tar.subarray(0, 1024)))).toThrow("ends in the middle");
    expect(() => readTar(gzipSync(Buffer.alloc(1024)))).toThrow("holds no files");
    expect(() => readTar(tar)).toThrow("incorrect header");
  });
});
