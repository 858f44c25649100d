import { gunzipSync, gzipSync, deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { unpackBundle } from "../../../../src/model/bundle-format/unpack-bundle.ts";

const TAR = Buffer.alloc(1024);
TAR.write("ustar", 257, "latin1");

it.each<[string, Buffer, string]>([
  ["zlib data", deflateSync("hello"), "it is zlib data without the header of gzip"],
  ["a zip archive", Buffer.from("PK\u0003\u0004abc"), "it is a zip archive"],
  ["a tar archive", TAR, "it is a tar archive without compression"],
  ["a manifest", Buffer.from("kind: VmTemplate\n"), "it is a text"],
  ["nothing", Buffer.alloc(0), "it is empty"],
  ["a module", Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), "it is a WebAssembly module"],
  ["other bytes", Buffer.from([1, 2, 3]), "it is another file"],
])("a bundle that is %s is named as such", (_is, bytes, says) => {
  expect(() => unpackBundle(bytes, "x.tar.gz")).toThrow(
    expect.objectContaining({
      code: "BUNDLE_UNREADABLE",
      params: { ref: "x.tar.gz", detail: `${says}, and not a gzip archive (.tar.gz)` },
    }),
  );
});

it("a gzip archive that is broken keeps the words of its reader", () => {
  const cut = gzipSync("hello").subarray(0, 12);
  expect(() => gunzipSync(cut)).toThrow("unexpected end of file");
  expect(() => unpackBundle(cut, "x")).toThrow(
    expect.objectContaining({ params: { ref: "x", detail: "unexpected end of file" } }),
  );
});
