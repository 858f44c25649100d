import { describe, expect, it } from "vitest";
import { releaseFrom } from "../../../src/cli/commands/bundle/release-options.ts";
import type { CatalogTables } from "../../../src/cli/commands/catalog/catalog-tables.ts";
import { positive } from "../../../src/flags/option-values.ts";
import { requireProvider } from "../../../src/cli/commands/catalog/require-name.ts";

describe("options of a bundle's release", () => {
  it.each([
    [{ expires: "90d" }, "--expires needs --version: add e.g. --version 7"],
    [{ channel: "prod" }, "--channel needs --version: add e.g. --version 7"],
    [{ version: "x" }, "--version x is not a whole number above 0"],
  ])("%o", (flags, says) => {
    expect(() => releaseFrom(flags)).toThrow(says);
  });
});

describe("a number with a unit", () => {
  it.each([
    ["16GB", "expected a number above 0: write 16."],
    ["30 ms", "expected a number above 0: write 30."],
    ["512MB", "expected a number above 0."],
  ])("%s", (text, says) => {
    expect(() => positive(text)).toThrow(says);
  });
});

describe("--provider", () => {
  const tables = { places: ["aws", "azure", "gcp"].map((provider) => ({ provider })) } as unknown as CatalogTables;

  it.each([
    ["google", "gcp"],
    ["GCE", "gcp"],
    ["Azur", "azure"],
  ])("%s names %s", (actual, provider) => {
    expect(() => {
      requireProvider(tables, actual);
    }).toThrow(expect.objectContaining({ params: expect.objectContaining({ advice: provider }) as object }));
    expect(() => {
      requireProvider(tables, provider);
    }).not.toThrow();
  });
});
