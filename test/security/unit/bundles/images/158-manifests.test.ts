import { afterEach, expect, it, vi } from "vitest";
import { isOther, readOther } from "../../../../../src/policy/read-other.ts";
import { readBundle } from "../../../../../src/policy/read-bundle.ts";
import { writeTar } from "../../../../../src/model/bundle-format/tar.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Packed, it has some kB. */
const bundle = writeTar(
  new Map([
    ["/.manifest", Buffer.from(`{"x":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`)],
    ["/policy.wasm", Buffer.from("0061736d", "hex")],
    ["/data.json", Buffer.from("{}")],
  ]),
);

it.each<[string, () => unknown]>([
  ["to tell its kind", () => isOther(bundle, "evil")],
  ["as the platform's", () => readBundle(bundle, "evil")],
  ["as a team's", () => readOther(bundle, "evil")],
])("158: a manifest of megabytes is refused before it is parsed: %s", (_, read) => {
  const parse = vi.spyOn(JSON, "parse");
  expect(read).toThrow(expect.objectContaining({ code: "BUNDLE_LIMIT" }) as Error);
  expect(read).toThrow(".manifest has 2000006 bytes; at most 65536 are allowed");
  expect(parse).not.toHaveBeenCalled();
});
