import { afterEach, expect, it, vi } from "vitest";
import { describeBundle } from "../../../../../src/policy/describe-bundle.ts";
import { readBundle } from "../../../../../src/policy/read-bundle.ts";
import { writeTar } from "../../../../../src/model/bundle-format/tar.ts";

/** A tarball of some kB. */
const bundleOf = (data: string): Buffer =>
  writeTar(
    new Map([
      ["/.manifest", Buffer.from('{"revision":"r"}')],
      ["/policy.wasm", Buffer.from("0061736d", "hex")],
      ["/data.json", Buffer.from(data)],
    ]),
    1,
  );

const MOST = 16 * 1024 * 1024;

afterEach(() => {
  vi.restoreAllMocks();
});

it("35: data of the platform's bundle above 16 MiB is refused before it is parsed, also by inspect", async () => {
  const large = bundleOf(`{"x":[${"[],".repeat(MOST / 3)}[]]}`);
  const parse = vi.spyOn(JSON, "parse");
  await expect(describeBundle(large, "evil.tar.gz")).rejects.toMatchObject({ code: "BUNDLE_LIMIT" });
  expect(() => readBundle(large, "evil.tar.gz")).toThrow(`at most ${String(MOST)} are allowed`);
  expect(parse.mock.calls.every(([text]) => text.length < 100)).toBe(true);
});

it("35: data of the platform's bundle of a few MiB is read", () => {
  const text = "x".repeat(8 * 1024 * 1024);
  expect(readBundle(bundleOf(JSON.stringify({ text })), "r").data).toEqual({ text });
});
