import { describe, expect, it } from "vitest";
import { findInIndex } from "../../../../../src/composition/chart/find-in-index.ts";
import { imageRef } from "../../../../../src/composition/chart/pull-chart.ts";
import { namesVersion, withoutVersion } from "../../../../../src/model/text/image-version.ts";

const index = (entry: Record<string, unknown>): string =>
  JSON.stringify({
    apiVersion: "v1",
    entries: { web: [{ name: "web", version: "1.0.0", urls: ["web.tgz"], ...entry }] },
  });

describe("152: an entry of a chart repository's index", () => {
  it.each([
    ["url", { urls: [`oci://${":".repeat(100_000)}/x`] }, "2048"],
    ["digest", { digest: "0".repeat(100_000) }, "128"],
    ["version", { version: "1".repeat(100_000) }, "256"],
  ])("with a long %s is refused", (field, entry, most) => {
    const version = "version" in entry ? entry.version : "1.0.0";
    expect(() => findInIndex(index(entry), "web", version)).toThrow(
      expect.objectContaining({
        code: "REL_CHART_UNREADABLE",
        params: { chart: "index.yaml", detail: `the ${field} of an entry has more than ${most} characters` },
      }) as Error,
    );
  });

  it("is refused as well in a small index", () => {
    expect(() => findInIndex(index({ urls: ["x".repeat(3000)] }), "web", "1.0.0")).toThrow("more than 2048 characters");
  });
});

it("152: the end of a reference is found in time that grows as its length", () => {
  const long = `oci://${":".repeat(2_000_000)}/x`;
  const before = process.cpuUsage().user;
  expect([namesVersion(long), withoutVersion(long).length, imageRef(long, "1.0.0").endsWith("/x:1.0.0")]).toEqual([
    ...[false, long.length, true],
  ]);
  // A quadratic search takes hours.
  expect(process.cpuUsage().user - before).toBeLessThan(2_000_000);
});

it.each([
  ["registry.example/web", false, "registry.example/web"],
  ["registry.example:5000/web", false, "registry.example:5000/web"],
  ["registry.example:5000/web:1.0", true, "registry.example:5000/web"],
  ["oci://registry.example/web@sha256:ab", true, "oci://registry.example/web"],
  ["registry.example/web:1.0@sha256:ab", true, "registry.example/web"],
  ["web:1.0", true, "web"],
])("152: %s has a version: %s", (ref, has, rest) => {
  expect([namesVersion(ref), withoutVersion(ref)]).toEqual([has, rest]);
});
