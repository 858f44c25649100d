import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runningSizes, sizeLabels } from "../../../../../src/composition/record/running-sizes.ts";
import { trusted } from "../../../../../src/model/decision-annotation/trusted.ts";
import { namesSizes, releaseMetadata } from "../../../../../src/model/decision-annotation/system-secrets.ts";

interface Sizes {
  providers: Record<string, { types: Record<string, { vcpus: number; memoryGiB: number; prices: (number | null)[] }> }>;
}

const catalog = JSON.parse(
  readFileSync(new URL("../../../../../catalog/instance-types.json", import.meta.url), "utf8"),
) as Sizes;
const types = Object.values(catalog.providers).flatMap((one) => Object.entries(one.types));

/** What Kubernetes accepts as a label's value. */
const LABEL = /^[a-zA-Z0-9]([\w.-]{0,61}[a-zA-Z0-9])?$/;

/** What a record says of a revision that keeps nothing but these labels. */
const read = (labels: Record<string, string>) =>
  runningSizes([
    { ...{ secret: "v1", revision: 1, status: "deployed", createdAt: 0, copy: "" }, labels, release: {} },
  ])[0];

/** The labels of an object whose decided size is this one, and which asks for nothing by itself. */
function labelsOf(size: Size): Record<string, string> {
  const placement = { provider: "gcp", region: "europe-west1", pricePerHour: size.pricePerHour, size };
  const annotations = { "landfall.dev/decision": JSON.stringify({ placement }) };
  const spec = { provider: "gcp", schedulingLocation: "europe-west1", cpu: 0, memory: 0 };
  return sizeLabels(trusted(null, { apiVersion: "v1", kind: "VmTemplate", metadata: { annotations }, spec }));
}

interface Size {
  vcpus: number;
  memoryGiB: number;
  pricePerHour: number | null;
}

/** Equal, to the millionth that the label holds. */
const isNear = (found: Size | undefined, size: Size): boolean =>
  found !== undefined &&
  (["vcpus", "memoryGiB"] as const).every((key) => Math.abs(found[key] - size[key]) <= 1e-6) &&
  (found.pricePerHour === null) === (size.pricePerHour === null) &&
  Math.abs((found.pricePerHour ?? 0) - (size.pricePerHour ?? 0)) <= 1e-6;

const dotted = (size: string): Record<string, string> => ({
  "landfall.dev/place": "gcp.europe-west1",
  "landfall.dev/size": size,
});

describe("70: the size in a release's labels", () => {
  it("is read as it was written, for every machine of the catalog", () => {
    expect(types.length).toBeGreaterThan(1000);
    expect(types.some(([, { memoryGiB }]) => !Number.isInteger(memoryGiB))).toBe(true);
    const wrong = types.flatMap(([name, { vcpus, memoryGiB, prices }]) => {
      const price = prices.find((one) => one !== null && one > 0) ?? null;
      return [1, 3].flatMap((count) => {
        const size = { vcpus: vcpus * count, memoryGiB: memoryGiB * count, pricePerHour: price && price * count };
        const labels = labelsOf(size);
        const found = read(labels);
        const isSame = LABEL.test(labels["landfall.dev/size"] ?? "") && isNear(found, size);
        return isSame && found?.place === "gcp/europe-west1" ? [] : [{ name, size, labels, found }];
      });
    });
    expect(wrong).toEqual([]);
  });

  it("is a valid label for amounts that no machine has", () => {
    const labels = labelsOf({ vcpus: 1e308, memoryGiB: 1e-12, pricePerHour: 1e30 });
    expect(labels["landfall.dev/size"]).toMatch(LABEL);
    expect(read(labels)?.vcpus).toBeGreaterThan(1e9);
  });

  it.each([
    ["96.86.4.3400000", { vcpus: 96, memoryGiB: 86.4, pricePerHour: 3.4 }],
    ["2.1.8.none", { vcpus: 2, memoryGiB: 1.8, pricePerHour: null }],
    ["16.64.779000", { vcpus: 16, memoryGiB: 64, pricePerHour: 0.779 }],
    ["0.25.1.6000", { vcpus: 0.25, memoryGiB: 1, pricePerHour: 0.006 }],
    ["0.5.1.7.26000", { vcpus: 0.5, memoryGiB: 1.7, pricePerHour: 0.026 }],
    // 1.5 vCPU with 6 GiB, or one with 5.6 GiB: the larger of each.
    ["1.5.6.40000", { vcpus: 1.5, memoryGiB: 6, pricePerHour: 0.04 }],
  ])("is read from a label of an earlier version: %s", (size, expected) => {
    expect(read(dotted(size))).toEqual({ place: "gcp/europe-west1", ...expected });
  });

  it.each(["x-y-z", "1-2", "96.x.4.1", "1-2-Infinity", "1-2-", "..", ""])(
    "is unknown in a label that says nothing: %s",
    (size) => {
      expect(read(dotted(size))).toBeUndefined();
    },
  );

  it("is found to be wrong in a record that an earlier version wrote", () => {
    const running = [read(dotted("96.86.4.3400000"))].filter((one) => one !== undefined);
    const about = { kind: "VmTemplate", namespace: "demo", name: "web", uid: "u", release: "web-u" };
    const secret = (sizes: typeof running) => ({
      metadata: releaseMetadata({ ...about, place: "gcp/europe-west1", running: sizes }),
    });
    const wrong = running.map((one) => ({ ...one, memoryGiB: 86, pricePerHour: 0.000004 }));
    expect(running).toHaveLength(1);
    expect(namesSizes(secret(wrong), running)).toBe(false);
    expect(namesSizes(secret(running), running)).toBe(true);
    expect(namesSizes({ metadata: {} }, running)).toBe(false);
  });
});
