import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { verifyFiles } from "../../../../../src/bundle/signature/verify-files.ts";
import { readRelease } from "../../../../../src/model/bundle-format/bundle-release.ts";
import { writeTar } from "../../../../../src/model/bundle-format/tar.ts";

/** 6 MB of empty lists. A tarball of 260 kB holds 60 MB, which take 15 s to parse. */
const LISTS = Buffer.from(`{"revision":"r","x":[${"[],".repeat(2_000_000)}[]]}`);
const parse = vi.spyOn(JSON, "parse");

beforeEach(() => {
  parse.mockClear();
});
afterAll(() => {
  parse.mockRestore();
});

it("15: a manifest of megabytes is refused before the main thread parses it", () => {
  const bytes = writeTar(new Map([["/.manifest", LISTS]]), 1);
  expect(() => readRelease(bytes, "r")).toThrow(expect.objectContaining({ code: "BUNDLE_LIMIT" }) as Error);
  expect(parse).not.toHaveBeenCalled();
  const small = writeTar(new Map([["/.manifest", Buffer.from('{"revision":"r"}')]]), 1);
  expect(readRelease(small, "r")).toMatchObject({ version: null });
  expect(parse).toHaveBeenCalledOnce();
});

it("15: signatures of megabytes are refused before the main thread parses them", () => {
  const trust = { mode: "required", keys: [], identities: [], root: null } as const;
  const bytes = writeTar(new Map([["/.signatures.json", LISTS]]), 1);
  expect(() => verifyFiles({ bytes, ref: "r", signed: false }, trust)).toThrow("more than 1048576 bytes");
  expect(parse).not.toHaveBeenCalled();
  const small = writeTar(new Map([["/.signatures.json", Buffer.from("[[]]")]]), 1);
  expect(() => verifyFiles({ bytes: small, ref: "r", signed: false }, trust)).toThrow(
    expect.objectContaining({ code: "BUNDLE_TAMPERED" }),
  );
  expect(parse).toHaveBeenCalled();
});
