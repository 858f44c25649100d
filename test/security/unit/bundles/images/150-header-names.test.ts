import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { verifyOutside } from "../../../../../src/bundle/signature/verify-files.ts";
import { unpackChart } from "../../../../../src/composition/chart/unpack-chart.ts";
import { unpackBundle } from "../../../../../src/model/bundle-format/unpack-bundle.ts";
import { nameHeader, tarEntry } from "../../../../support/bundles/tar-entry.ts";

const MIB = 1024 * 1024;
const archive = (...entries: Buffer[]): Buffer => gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));
const file = tarEntry("f", "0", Buffer.from("{}"));
const named = (name: string): Buffer => archive(nameHeader(Buffer.from(name)), file);
/** Packed, it has 20 kB. */
const bomb = archive(nameHeader(Buffer.alloc(20 * MIB, "/")), file);

const cases: readonly (readonly [string, () => Buffer, string])[] = [
  ["an extended header of megabytes", () => bomb, "more than 8192 bytes"],
  ["one for all entries", () => archive(tarEntry("g", "g", Buffer.alloc(9000)), file), "more than 8192 bytes"],
  ["a name that no system takes", () => named("a".repeat(5000)), "more than 4096 bytes"],
  ["thousands of folders in one another", () => named("a/".repeat(2000)), "more than 64 parts"],
  ["a long name that leads out", () => named(`${"a".repeat(200)}/../b`), "leads out"],
  [
    "many folders and no files",
    () => archive(...Array.from({ length: 16_000 }, () => tarEntry("d/", "5"))),
    "more than",
  ],
];

describe("150: an archive is refused before its names take time", () => {
  it.each(cases)("for %s", async (_, bytes, text) => {
    expect(() => unpackBundle(bytes(), "r")).toThrow(text);
    const folder = await mkdtemp(join(tmpdir(), "landfall-names-"));
    const unpacked = unpackChart(bytes(), join(folder, "chart"), "c");
    await expect(unpacked).rejects.toThrow(text);
    await expect(unpacked).rejects.toMatchObject({ code: "REL_CHART_UNREADABLE" });
    await rm(folder, { recursive: true, force: true });
  });

  it("and not read as a text", () => {
    const toText = vi.spyOn(Buffer.prototype, "toString");
    expect(() => unpackBundle(bomb, "r")).toThrow("bundle r is not safe to load");
    const longest = Math.max(...toText.mock.results.map(({ value }) => String(value).length));
    toText.mockRestore();
    expect(longest).toBeLessThan(10_000);
  });

  it("but names of regular builds are read", () => {
    const long = `${"folder/".repeat(50)}${"f".repeat(200)}.rego`;
    expect([...unpackBundle(named(long), "r").keys()]).toEqual([long]);
  });
});

it("150: a signed image is unpacked where it is verified only if its channel is asked for", () => {
  const broken = { bytes: Buffer.from("no archive"), ref: "r", signed: true };
  const trust = { mode: "required", keys: [], identities: [], root: null } as const;
  verifyOutside(broken, trust);
  expect(() => {
    verifyOutside(broken, { ...trust, channel: "prod" });
  }).toThrow("cannot be read");
});
