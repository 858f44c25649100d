import { expect, it } from "vitest";
import { verifyFiles } from "../../../src/bundle/signature/verify-files.ts";
import { readRelease } from "../../../src/model/bundle-format/bundle-release.ts";
import { writeTar } from "../../../src/model/bundle-format/tar.ts";

/** 60 MB of empty lists, which take 15 s to parse and 260 kB in a tarball. */
const LISTS = Buffer.from(`{"revision":"r","x":[${"[],".repeat(20_000_000)}[]]}`);

it("15: a manifest of 60 MB is refused before the main thread parses it", () => {
  const bytes = writeTar(new Map([["/.manifest", LISTS]]), 1);
  const began = performance.now();
  expect(() => readRelease(bytes, "r")).toThrow(expect.objectContaining({ code: "BUNDLE_LIMIT" }) as Error);
  expect(performance.now() - began).toBeLessThan(2000);
});

it("15: signatures of 60 MB are refused before the main thread parses them", () => {
  const bytes = writeTar(new Map([["/.signatures.json", LISTS]]), 1);
  const began = performance.now();
  const trust = { mode: "required", keys: [], identities: [], root: null } as const;
  expect(() => verifyFiles(bytes, "r", trust, false)).toThrow("more than 1048576 bytes");
  expect(performance.now() - began).toBeLessThan(2000);
});
