import { describe, expect, it } from "vitest";
import { KINDS } from "../../../src/model/names.ts";
import { bootTimeOf, bootTimesFile, type ObservedBoots, withBoot } from "../../../src/model/places/boot-times.ts";
import { bootsOf } from "../../support/composition/observed-boots.ts";
import { PROVIDERS } from "../../../src/model/workload.ts";

const all = KINDS.flatMap((kind) => PROVIDERS.map((provider) => ({ kind, provider })));

describe.each(all)("catalog/boot-times.json: $kind on $provider", ({ kind, provider }) => {
  it("has a figure in whole seconds, with a source", () => {
    const { seconds, source } = bootTimesFile.providers[provider][kind];
    expect(Number.isInteger(seconds) && seconds > 0 && seconds <= 3600).toBe(true);
    expect(Object.keys(bootTimesFile.sources)).toContain(source);
  });
});

describe("the time to boot", () => {
  const boot = (...seen: number[]) => bootTimeOf("VmTemplate", "gcp", { "gcp/VmTemplate": bootsOf(...seen) });

  it.each([
    ["the catalog's without observations", [], { seconds: 90, source: "catalog" }],
    ["the catalog's after two observations", [20, 30], { seconds: 90, source: "catalog" }],
    ["the median of three", [20, 300, 30], { seconds: 30, source: "observed" }],
    ["the mean of the middle two of four, rounded up", [20, 300, 30, 41], { seconds: 36, source: "observed" }],
    ["at most four times the catalog's", [3000, 3100, 3200], { seconds: 360, source: "observed" }],
  ] as const)("is %s", (_what, seen, expected) => {
    expect(boot(...seen)).toEqual(expected);
  });

  it("is learned for each provider and kind alone", () => {
    const seen = { "gcp/KaasCluster": bootsOf(1, 1, 1), "aws/VmTemplate": bootsOf(1, 1, 1) };
    expect(bootTimeOf("VmTemplate", "gcp", seen)).toEqual({ seconds: 90, source: "catalog" });
  });

  it("forgets the oldest of more than fifteen", () => {
    let seen: ObservedBoots = {};
    for (const boot of bootsOf(...Array.from({ length: 20 }, (_, index) => index + 1)))
      seen = withBoot(seen, "gcp/VmTemplate", boot);
    expect(seen["gcp/VmTemplate"]?.map(({ seconds }) => seconds)).toEqual(
      Array.from({ length: 15 }, (_, index) => index + 6),
    );
  });
});
