// 432: one user of a console in a cluster stopped it for minutes with an object that it tried, since it read objects of any size.
import { describe, expect, it } from "vitest";
import { decideHere } from "../../../../src/console/trying/decide-here.ts";
import { readManifest } from "../../../../src/console/trying/read-manifest.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const manifest = (spec: string) => ({
  namespace: "demo",
  object: `{"apiVersion": "composition.krateo.io/v0-2-0", "kind": "VmTemplate", "metadata": {"name": "web"}, "spec": ${spec}}`,
});
const fields = (count: number): string =>
  `{${Array.from({ length: count }, (_, at) => `"r${String(at)}": "x"`).join(", ")}}`;

describe("432: an object that somebody tries", () => {
  it.each([
    [`{"tags": ${fields(20_001)}}`, "it has more than 20000 values"],
    [`{"x": ${'{"a": '.repeat(5000)}1${"}".repeat(5000)}}`, "it has more than 64 levels of nesting"],
    [`{"disks": ${"[".repeat(8000)}1${"]".repeat(8000)}}`, "it has more than 64 levels of nesting"],
  ])("is not read beyond the limits of the webhook: %#", (spec, detail) => {
    expect(() => readManifest(manifest(spec))).toThrow(detail);
  });

  it("has its large values refused before they are explained", () => {
    const written = readManifest(manifest(`{"cpu": 2, "memory": 4, "schedulingLocation": ${fields(15_000)}}`));
    const namespace = { name: "demo", labels: {}, annotations: {} };
    const { denials } = decideHere(written, { policy, namespace, nowSeconds: 1_795_000_000 });
    expect(denials.map(({ message }) => message)).toEqual([expect.stringContaining("has more than 200 values")]);
  });
});
