import { describe, expect, it } from "vitest";
import { sampleFairly } from "../../../../../src/external-data/sample-fairly.ts";
import { type CanaryReport, type Changed, judgeCanaries } from "../../../../../webhook/bundle-watch/judge-canaries.ts";
import { openRecentRefusals } from "../../../../../webhook/decisions/limits/recent-refusals.ts";
import { reviewOf, vm } from "../../../../support/admission.ts";

const object = (namespace: string, name: string) => ({ metadata: { namespace, name } });

describe("14: the sample of live objects", () => {
  const many = Array.from({ length: 5000 }, (_, index) => object("aaa-tenant", `vm-${String(index)}`));
  const few = ["b", "c", "d", "e"].flatMap((namespace) =>
    Array.from({ length: 10 }, (_, index) => object(namespace, `vm-${String(index)}`)),
  );
  const sampleOf = (items: ReturnType<typeof object>[], most: number, seed: string): string[] => {
    const sample = sampleFairly<ReturnType<typeof object>>(most, seed);
    for (const item of items) sample.add(item);
    return sample.take().map(({ metadata: { namespace, name } }) => `${namespace}/${name}`);
  };

  it("gives each namespace its share, however many objects one has and whatever it is called", () => {
    const taken = sampleOf([...many, ...few], 50, "seed");
    const of = (prefix: string): number => taken.filter((key) => key.startsWith(prefix)).length;
    expect([of("aaa-tenant/"), of("b/"), of("c/"), of("d/"), of("e/")]).toEqual([10, 10, 10, 10, 10]);
  });

  it("is the same for the same seed in any order of the objects, and another for another seed", () => {
    const all = [...many.slice(0, 200), ...few];
    expect(sampleOf([...all].reverse(), 30, "one").sort()).toEqual(sampleOf(all, 30, "one").sort());
    expect(sampleOf(all, 30, "two").sort()).not.toEqual(sampleOf(all, 30, "one").sort());
  });

  it("has no more than asked, also with more namespaces than that", () => {
    const spread = Array.from({ length: 300 }, (_, index) => object(`ns-${String(index)}`, "vm"));
    expect(new Set(sampleOf(spread, 20, "seed")).size).toBe(20);
    expect(sampleOf(spread, 0, "seed")).toEqual([]);
  });
});

const none = (): Changed => ({ owners: new Map() });

/** Of each namespace: how many objects were asked about, and how many changed. */
function changes(entries: Record<string, [asked: number, changed: number]>): Changed {
  const owners = new Map(
    Object.entries(entries).map(([name, [asked, changed]]) => [name, { asked, changed }] as const),
  );
  return { owners };
}

describe("14: the canaries' verdict", () => {
  const canary = { share: 0.2, namespaces: 2, objects: 200 };
  const verdict = (report: Partial<CanaryReport>, announced: { denies: number; allows: number } | null = null) =>
    judgeCanaries(
      { denied: none(), allowed: none(), smoke: 0, ...report },
      {
        ref: "bundle",
        canary,
        announced: announced && { ...announced, replaces: `sha256:${"0".repeat(64)}`, by: "platform" },
      },
    )?.code ?? "used";

  it("does not follow one namespace, even if it has all objects", () => {
    expect(verdict({ denied: changes({ tenant: [200, 200] }) })).toBe("used");
    expect(verdict({ denied: changes({ tenant: [199, 199], other: [1, 0] }) })).toBe("used");
  });

  it("refuses a bundle that several namespaces show to deny too much, and counts them alike", () => {
    expect(verdict({ denied: changes({ a: [1, 1], b: [1, 1], c: [100, 0] }) })).toBe("BUNDLE_CANARY");
    expect(verdict({ denied: changes({ a: [100, 10], b: [100, 10], c: [1, 0] }) })).toBe("used");
  });

  it("refuses a bundle that allows what was denied", () => {
    expect(verdict({ allowed: changes({ a: [3, 3], b: [2, 1] }) })).toBe("BUNDLE_LOOSER");
    expect(verdict({ allowed: changes({ tenant: [4, 4], b: [4, 0], c: [4, 0] }) })).toBe("used");
    expect(verdict({ smoke: 1 })).toBe("BUNDLE_LOOSER");
  });

  it("does not follow two namespaces of one tenant that send requests to be denied, as others have live objects", () => {
    const others = Object.fromEntries(
      Array.from({ length: 18 }, (_, index) => [`ns-${String(index)}`, [5, 0] as const]),
    );
    const denied = changes(others as unknown as Record<string, [number, number]>);
    const allowed = changes({ "tenant-a": [4, 4], "tenant-b": [4, 4] });
    expect(verdict({ denied, allowed })).toBe("used");
    expect(verdict({ allowed })).toBe("BUNDLE_LOOSER");
  });

  it("names no object and no namespace: /status shows it", () => {
    const report = { denied: none(), allowed: none(), smoke: 0 };
    const against = { ref: "bundle", canary, announced: null };
    for (const field of ["denied", "allowed"]) {
      const found = changes({ "secret-a": [2, 2], "secret-b": [2, 2] });
      const error = judgeCanaries({ ...report, [field]: found }, against);
      expect(error?.line).toContain("2 namespaces");
      expect(JSON.stringify([error?.line, error?.params])).not.toContain("secret");
    }
  });

  it("lets pass what was announced, and no more than that", () => {
    const denied = changes({ a: [5, 5], b: [5, 5] });
    expect(verdict({ denied }, { denies: 10, allows: 0 })).toBe("used");
    expect(verdict({ denied }, { denies: 9, allows: 100 })).toBe("BUNDLE_CANARY");
    const allowed = changes({ a: [2, 2], b: [2, 2] });
    expect(verdict({ allowed, smoke: 1 }, { denies: 0, allows: 5 })).toBe("used");
    expect(verdict({ allowed, smoke: 1 }, { denies: 100, allows: 4 })).toBe("BUNDLE_LOOSER");
  });
});

describe("14: requests that were denied lately", () => {
  const review = (namespace: string, name: string): string => reviewOf(vm({ cpu: 2, memory: 4 }, { namespace, name }));
  const denied = (code: string) => ({ allowed: false, operation: "CREATE", codes: [code] });

  it("are remembered if a rule denied them, a few of each namespace", () => {
    const recent = openRecentRefusals();
    recent.add(review("a", "schema"), "a", denied("ADM_SCHEMA"));
    recent.add(review("a", "fine"), "a", { allowed: true, operation: "CREATE" });
    recent.add(review("b", "kept"), "b", denied("POL_PROVIDER"));
    for (let index = 0; index < 100; index += 1)
      recent.add(review("a", `vm-${String(index)}`), "a", denied("SEC_OWNER"));
    const names = recent
      .list()
      .map(
        (body) =>
          (JSON.parse(body) as { request: { object: { metadata: { name: string } } } }).request.object.metadata.name,
      );
    expect(names.sort()).toEqual(["kept", "vm-96", "vm-97", "vm-98", "vm-99"]);
  });

  it("take little memory", () => {
    const recent = openRecentRefusals();
    const body = review("a", "big").replace(`"cpu":2`, `"cpu":2,"x":"${"x".repeat(20_000)}"`);
    recent.add(body, "a", denied("POL_PROVIDER"));
    for (let index = 0; index < 500; index += 1)
      recent.add(review(`ns-${String(index)}`, "vm"), `ns-${String(index)}`, denied("POL_PROVIDER"));
    expect(recent.list()).toHaveLength(128);
  });
});
