import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { reviewOf, vm } from "../../support/admission.ts";
import { carbonImage, dataImage, SECURITY, teamBundle } from "../../support/bundles/other-bundles.ts";
import { type Bench, changedBundle, numbered, openBench } from "../../support/bundles/watched-bundle.ts";
import type { BundleWatch } from "../../../webhook/bundle-watch/watch-bundle.ts";

let bench: Bench;
let security: Buffer;
beforeAll(async () => {
  bench = await openBench();
  security = await teamBundle("security", { "security.rego": SECURITY });
});
afterEach(async () => {
  bench.door.fault = null;
  await rm(join(bench.folder, "store"), { recursive: true, force: true });
});
afterAll(() => bench.stop());

const review = (labels: Record<string, string>): string =>
  reviewOf(vm({ cpu: 2, memory: 4, provider: "gcp" }, { labels }));

interface Said {
  allowed: boolean;
  /** Of a denial. */
  text: string;
  /** What the annotation names beside the platform's bundle: name -> digest. */
  bundles: Record<string, string>;
  degraded: string[];
}

interface Compact {
  policy?: { bundles?: Record<string, { digest: string }> };
  degraded?: string[];
}

/** The decision that a patch writes into the object. */
function written(patch: readonly { path: string; value: unknown }[]): Compact {
  const whole = patch.find(({ path }) => path === "/metadata/annotations")?.value as Record<string, string> | undefined;
  const one = patch.find(({ path }) => path === "/metadata/annotations/landfall.dev~1decision")?.value;
  const text = typeof one === "string" ? one : whole?.["landfall.dev/decision"];
  return JSON.parse(text ?? "{}") as Compact;
}

/** What is said of a machine now. */
async function ask(watch: BundleWatch, labels: Record<string, string> = { owner: "me" }): Promise<Said> {
  const decider = await watch.decider();
  if (decider === null) expect.fail("nothing decides");
  const { body } = await decider.ask("/mutate", review(labels));
  const { response } = JSON.parse(body) as {
    response: { allowed: boolean; patch?: string; status?: { message: string } };
  };
  const patch = Buffer.from(response.patch ?? "W10=", "base64").toString();
  const { policy, degraded = [] } = written(JSON.parse(patch) as { path: string; value: unknown }[]);
  const bundles = Object.entries(policy?.bundles ?? {}).map(([name, { digest }]) => [name, digest] as const);
  const { allowed, status } = response;
  return { allowed, text: status?.message ?? "", bundles: Object.fromEntries(bundles), degraded };
}

const broken = (): Buffer =>
  dataImage({ name: "security", kind: "policy" }, ["landfall/custom/security"], {}, { "policy.wasm": "x" });

describe("bundles beside the platform's", () => {
  it("are followed independently: a pushed bundle decides, the decision names it, and the others stay", async () => {
    const main = await bench.push(await numbered(1));
    const carbon = await bench.push(carbonImage(300), true, "carbon");
    const team = await bench.push(security, true, "security");
    const others = [await bench.other("carbon", "data"), await bench.other("security", "policy")];
    const { watch, events } = await bench.watch({ others });
    await watch.poll();
    const status = watch.status();
    expect(status).toMatchObject({ active: { digest: main }, missing: [], lastError: null });
    expect(status.others).toMatchObject({
      carbon: {
        kind: "data",
        required: true,
        loaded: { digest: carbon },
        active: { digest: carbon, old: false, from: "registry" },
      },
      security: { kind: "policy", attempted: { digest: team }, active: { digest: team, bundle: { revision: "t1" } } },
    });
    // They are fetched beside each other: whichever is there first is named first.
    const named = events.map(([, fields]) => (fields as { bundle?: string }).bundle ?? "");
    expect(named.sort()).toEqual(["", "carbon", "security"]);
    const first = await ask(watch);
    expect(first.bundles).toEqual({
      carbon: status.others["carbon"]?.active?.bundle.digest,
      security: status.others["security"]?.active?.bundle.digest,
    });
    expect((await ask(watch, {})).text).toContain("SEC_OWNER");

    const newer = await bench.push(carbonImage(301), true, "carbon");
    await watch.poll();
    expect(watch.status().others["carbon"]?.active?.digest).toBe(newer);
    const second = await ask(watch);
    expect(second.bundles["carbon"]).toBe(watch.status().others["carbon"]?.active?.bundle.digest);
    expect(second.bundles["carbon"]).not.toBe(first.bundles["carbon"]);
    expect(second.bundles["security"]).toBe(first.bundles["security"]);
  });

  it("fail independently: a broken one is quarantined, while its last good version and the platform's bundle stay active", async () => {
    await bench.push(await numbered(2));
    const good = await bench.push(security, true, "security");
    const { watch } = await bench.watch({ others: [await bench.other("security", "policy")] });
    await watch.poll();
    for (const [bytes, signed, code] of [
      [broken(), true, "BUNDLE_UNREADABLE"],
      [Buffer.from(carbonImage(1)), true, "BUNDLE_NAME"],
      [await teamBundle("security", { "security.rego": `${SECURITY}\nanother := 1\n` }), false, "BUNDLE_UNSIGNED"],
    ] as const) {
      const bad = await bench.push(bytes, signed, "security");
      await watch.poll();
      expect(watch.status().others["security"]).toMatchObject({ attempted: { digest: bad }, active: { digest: good } });
      expect(watch.status().others["security"]?.quarantined.at(-1)).toMatchObject({ digest: bad, code });
    }
    const next = await bench.push(await numbered(3));
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: next }, lastError: null, missing: [] });
    expect((await ask(watch, {})).text).toContain("SEC_OWNER");
  });

  it("are rejected if they fail their own smoke inputs, but not for denying the platform's", async () => {
    await bench.push(await numbered(4));
    const cases = (allowed: boolean): Promise<Buffer> =>
      teamBundle("security", {
        "security.rego": SECURITY,
        "landfall/custom/security/smoke/data.json": JSON.stringify({
          cases: [
            {
              name: "nobody's machine",
              spec: { cpu: 1, memory: 1 },
              allowed,
              ...(allowed ? {} : { code: "SEC_OWNER" }),
            },
          ],
        }),
      });
    const good = await bench.push(await cases(false), true, "security");
    const { watch } = await bench.watch({ others: [await bench.other("security", "policy")] });
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { bundle: { smoke: { cases: 5 } } } });
    await bench.push(await cases(true), true, "security");
    await watch.poll();
    expect(watch.status().others["security"]).toMatchObject({
      active: { digest: good },
      quarantined: [
        { code: "BUNDLE_SMOKE", reason: expect.stringContaining("nobody's machine: denied (SEC_OWNER)") as string },
      ],
    });
  });

  it("are rejected while they claim another bundle's roots", async () => {
    await bench.push(await numbered(5));
    const image = (name: string, number: number, ...roots: string[]): Buffer =>
      dataImage({ name }, roots, { acme: Object.fromEntries(roots.map((root) => [root.slice(5), number])) });
    await bench.push(image("one", 1, "acme/a", "acme/b"), true, "one");
    const others = [await bench.other("one", "data"), await bench.other("two", "data", { required: false })];
    const { watch } = await bench.watch({ others });
    await watch.poll();
    const two = await bench.push(image("two", 1, "acme/b"), true, "two");
    await watch.poll();
    expect(watch.status().others["two"]).toMatchObject({
      active: null,
      quarantined: [{ digest: two, code: "BUNDLE_ROOTS" }],
    });
    expect((await ask(watch)).degraded).toContain("BUNDLE_ABSENT");
    await bench.push(image("one", 2, "acme/a"), true, "one");
    await watch.poll();
    await watch.poll();
    expect(watch.status().others["two"]).toMatchObject({ active: { digest: two }, quarantined: [], lastError: null });
    expect((await ask(watch)).degraded).not.toContain("BUNDLE_ABSENT");
  });
});

describe("a required bundle", () => {
  it("blocks every decision until it is loaded; a missing optional one is reported", async () => {
    const main = await bench.push(await numbered(10));
    const others = [await bench.other("never", "data"), await bench.other("nowhere", "data", { required: false })];
    const { watch } = await bench.watch({ others });
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: main }, missing: ["never"] });
    expect(watch.status().others["never"]?.lastError).toContain("BUNDLE_REGISTRY");
    await expect(watch.decider()).rejects.toMatchObject({ code: "BUNDLE_REQUIRED" });
    await bench.push(dataImage({ name: "never" }, ["acme/x"], { acme: { x: 1 } }), true, "never");
    await watch.poll();
    expect(watch.status().missing).toEqual([]);
    const { allowed, degraded } = await ask(watch);
    expect([allowed, degraded.filter((code) => code.startsWith("BUNDLE"))]).toEqual([true, ["BUNDLE_ABSENT"]]);
  });

  it("is loaded from disk after a restart without a registry, and becomes stale independently", async () => {
    let nowMs = Date.UTC(2026, 10, 20);
    await bench.push(await numbered(11));
    const kept = await bench.push(carbonImage(200), true, "carbon");
    await (await bench.watch({ others: [await bench.other("carbon", "data")], nowMs: () => nowMs })).watch.poll();
    bench.door.fault = (request) => Boolean(request.socket.destroy());
    const stale = { hours: 1, action: "refuse" as const };
    const { watch } = await bench.watch({
      others: [await bench.other("carbon", "data", { stale })],
      nowMs: () => nowMs,
    });
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { from: "disk" }, missing: [], stale: false });
    expect(watch.status().others["carbon"]).toMatchObject({ active: { digest: kept, from: "disk" }, stale: false });
    expect((await ask(watch)).allowed).toBe(true);
    nowMs += 4_000_000;
    expect(watch.status()).toMatchObject({ stale: false, others: { carbon: { stale: true } } });
    await expect(watch.decider()).rejects.toMatchObject({ code: "BUNDLE_STALE" });
  });
});

describe("old data", () => {
  it("is reported in each decision or blocks it, as the settings say", async () => {
    await bench.push(await numbered(20));
    const old = carbonImage(200, { date: "2020-01-01T00:00:00Z", freshHours: 1 });
    await bench.push(old, true, "carbon");
    const { watch } = await bench.watch({ others: [await bench.other("carbon", "data")] });
    await watch.poll();
    expect(watch.status().others["carbon"]?.active).toMatchObject({ old: true });
    expect((await ask(watch)).degraded).toContain("BUNDLE_DATA_STALE");
    await bench.push(
      await changedBundle((data) => {
        const byName = { carbon: { hours: null, action: "refuse" } };
        const dataImages = { replaceable: ["landfall/catalog"], stale: { hours: null, action: "warn" }, byName };
        data.landfall["settings"] = { ...data.landfall["settings"], dataImages };
      }),
    );
    await watch.poll();
    expect(await ask(watch)).toMatchObject({
      allowed: false,
      text: expect.stringContaining("BUNDLE_DATA_STALE") as string,
    });
    // Newer data gets in although the old one is refused.
    await bench.push(
      carbonImage(200, { date: new Date().toISOString().replace(/\.\d+/, ""), freshHours: 1 }),
      true,
      "carbon",
    );
    await watch.poll();
    expect(await ask(watch)).toMatchObject({ allowed: true });
  });
});
