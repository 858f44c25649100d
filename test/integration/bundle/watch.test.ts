import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../../src/bundle/bundle-store.ts";
import type { ErrorCode } from "../../../src/errors.ts";
import { reviewOf, vm } from "../../support/admission.ts";
import {
  type Bench,
  type BundleData,
  changedBundle,
  numbered,
  openBench,
  type openDecider,
} from "../../support/bundles/watched-bundle.ts";
import type { BundleWatch } from "../../../webhook/bundle-watch/watch-bundle.ts";
import { startProcess, type DecisionProcess } from "../../../webhook/decisions/start-process.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterEach(async () => {
  bench.door.fault = null;
  await rm(join(bench.folder, "store"), { recursive: true, force: true });
});
afterAll(() => bench.stop());

const review = (spec: object = {}): string => reviewOf(vm({ cpu: 2, memory: 4, ...spec }));

/** The tarball's digest that a decision names. */
async function decidedBy(watch: BundleWatch): Promise<string> {
  const decider = await watch.decider();
  if (decider === null) return "nobody";
  const { body } = await decider.ask("/mutate", review());
  return (JSON.parse(body) as { response: { auditAnnotations: { bundle: string } } }).response.auditAnnotations.bundle;
}

const settings = (data: BundleData, changes: object): void => {
  data.landfall["settings"] = { ...data.landfall["settings"], ...changes };
};

describe("a watch", () => {
  it("follows the tag: the new digest is tried, loaded and active, and a pending answer uses the old one", async () => {
    const first = await bench.push(await numbered(1));
    const { watch, events } = await bench.watch();
    expect(await watch.decider()).toBeNull();
    await watch.poll();
    const tarball = await decidedBy(watch);
    expect(watch.status()).toMatchObject({
      attempted: { digest: first },
      loaded: { digest: first },
      active: {
        digest: first,
        from: "registry",
        signers: [expect.stringMatching(/^key sha256:/)],
        bundle: { digest: tarball, smoke: { cases: 4 } },
      },
      quarantined: [],
      lastError: null,
      stale: false,
    });

    const second = await bench.push(await numbered(2));
    const underway = (await watch.decider())?.ask("/mutate", review());
    await watch.poll();
    expect((await underway)?.status).toBe(200);
    expect(watch.status().active?.digest).toBe(second);
    expect(await decidedBy(watch)).toBe(watch.status().active?.bundle.digest);
    expect(events).toMatchObject([
      ["bundle active", { digest: first, before: null, from: "registry" }],
      ["bundle active", { digest: second, before: first }],
    ]);
  });

  it("takes the last of two pushes between two polls, and does nothing without a change", async () => {
    await bench.push(await numbered(3));
    const { watch, events } = await bench.watch();
    await watch.poll();
    await bench.push(await numbered(4));
    const last = await bench.push(await numbered(5));
    await Promise.all([watch.poll(), watch.poll(), watch.poll()]);
    expect(watch.status().active?.digest).toBe(last);
    expect(events.map(([event]) => event)).toEqual(["bundle active", "bundle active"]);
  });

  it("rejects a tag that moved to an unsigned digest, and accepts it once it is signed", async () => {
    const good = await bench.push(await numbered(6));
    const { watch, events } = await bench.watch();
    await watch.poll();
    const moved = await bench.push(await numbered(7), false);
    await watch.poll();
    await watch.poll();
    expect(watch.status()).toMatchObject({
      attempted: { digest: moved },
      active: { digest: good },
      quarantined: [{ digest: moved, code: "BUNDLE_UNSIGNED" }],
    });
    expect(events.filter(([event]) => event === "bundle not used")).toHaveLength(1);
    await bench.sign(moved);
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: moved }, quarantined: [], lastError: null });
  });
});

describe("a faulty bundle is quarantined, and the last good one stays active", () => {
  let watch: BundleWatch;
  let good: string;
  beforeAll(async () => {
    good = await bench.push(await numbered(10));
    ({ watch } = await bench.watch());
    await watch.poll();
  });

  it.each<[string, () => Promise<Buffer>, ErrorCode]>([
    ["no entrypoint of ours", () => changedBundle(() => undefined, { "policy.wasm": "wasm" }), "BUNDLE_UNREADABLE"],
    ["no module", () => changedBundle(() => undefined, { "policy.wasm": null }), "BUNDLE_UNREADABLE"],
    ["a name that leads out", () => changedBundle(() => undefined, { "../evil": "x" }), "BUNDLE_UNSAFE"],
    ["a zip bomb", () => changedBundle(() => undefined, { bomb: Buffer.alloc(70_000_000) }), "BUNDLE_UNSAFE"],
    [
      "data of the wrong shape",
      () => changedBundle((data) => delete data.landfall["catalog"]?.["power"]),
      "BUNDLE_DATA",
    ],
    ["a policy that fails", () => changedBundle((data) => delete data.landfall["settings"]), "BUNDLE_PROBE"],
    [
      "other answers than it expects itself",
      () =>
        changedBundle((data) => {
          settings(data, { providers: [] });
        }),
      "BUNDLE_SMOKE",
    ],
    [
      "smoke inputs of the wrong shape",
      () =>
        changedBundle((data) => {
          data.landfall["smoke"] = { cases: [{ name: 1 }] };
        }),
      "BUNDLE_DATA",
    ],
  ])("%s", async (_, bytes, code) => {
    const bad = await bench.push(await bytes());
    await watch.poll();
    expect(watch.status()).toMatchObject({
      attempted: { digest: bad },
      loaded: { digest: good },
      active: { digest: good },
    });
    expect(watch.status().quarantined.at(-1)).toMatchObject({ digest: bad, code });
    expect(watch.status().lastError).toContain(`[${code}]`);
    expect(await decidedBy(watch)).toBe(watch.status().active?.bundle.digest);
  });

  it("is not tried again until the tag changes", async () => {
    const tried = watch.status().attempted;
    await watch.poll();
    expect(watch.status().attempted).toEqual(tried);
    const next = await bench.push(await numbered(11));
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: next }, lastError: null });
  });
});

describe("limits of a rollout", () => {
  it("rejects a bundle that takes longer than the limit", async () => {
    await bench.push(await numbered(20));
    const { watch } = await bench.watch({ rollout: { ...bench.rollout(), limits: { decisionMs: 0.000_001 } } });
    await watch.poll();
    expect(await watch.decider()).toBeNull();
    expect(watch.status().quarantined).toMatchObject([{ code: "BUNDLE_SLOW" }]);
  });

  it("rejects a bundle that loops while it loads", async () => {
    await bench.push(await numbered(21));
    const start = (tarball: Parameters<typeof openDecider>[0], ref: string): DecisionProcess =>
      startProcess({
        ...tarball,
        ref,
        trust: { mode: "off", keys: [], identities: [], root: null },
        keys: [Buffer.alloc(32)] as const,
        events: [],
        onReserved: () => undefined,
        logLabels: null,
        forecasts: null,
        timeoutMs: 1,
        loadMs: -1,
      });
    const { watch } = await bench.watch({ start });
    await watch.poll();
    expect(watch.status().quarantined).toMatchObject([{ code: "BUNDLE_LOOPS" }]);
  });

  it("rejects a bundle that denies too many live objects, and accepts one within the limit", async () => {
    const live = [
      vm({ cpu: 2, memory: 4, provider: "aws" }, { name: "a", namespace: "one" }),
      vm({ cpu: 2, memory: 4, provider: "aws" }, { name: "a", namespace: "two" }),
      vm({ cpu: 1, memory: 1, provider: "gcp" }, { name: "b", namespace: "three" }),
      vm({ cpu: 1, memory: 1, provider: "gcp" }, { name: "b", namespace: "four" }),
    ];
    await bench.push(await numbered(22));
    const { watch } = await bench.watch({
      canaries: () => Promise.resolve([...live, vm({ cpu: 2, memory: 1_000_000 }, { name: "never" })]),
    });
    await watch.poll();
    const worse = await bench.push(
      await changedBundle((data) => {
        settings(data, { providers: ["azure", "gcp"] });
      }),
    );
    await watch.poll();
    expect(watch.status().quarantined).toMatchObject([{ digest: worse, code: "BUNDLE_CANARY" }]);
    expect(watch.status().lastError).toContain("2 of 4 objects");
    const milder = await bench.watch({
      canaries: () => Promise.resolve(live),
      rollout: { ...bench.rollout(), canary: { share: 0.5, namespaces: 2, objects: 10 } },
    });
    await milder.watch.poll();
    expect(milder.watch.status().active?.digest).toBe(worse);
  });
});

describe("an unavailable registry", () => {
  it("does not change the active bundle, and is followed again when it is back", async () => {
    const first = await bench.push(await numbered(30));
    const { watch, events } = await bench.watch();
    await watch.poll();
    const second = await bench.push(await numbered(31));
    for (const [fault, code] of [
      [(request: { socket: { destroy(): unknown } }) => Boolean(request.socket.destroy()), "BUNDLE_REGISTRY_AWAY"],
      [() => true, "BUNDLE_REGISTRY_SLOW"],
    ] as const) {
      bench.door.fault = fault;
      await watch.poll();
      await watch.poll();
      expect(watch.status()).toMatchObject({
        active: { digest: first },
        lastError: expect.stringContaining(code) as string,
      });
    }
    expect(events.filter(([event]) => event === "registry unavailable")).toHaveLength(2);
    bench.door.fault = null;
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: second }, lastError: null });
  });

  it("after a restart: the last good bundle from disk decides until the registry has another", async () => {
    const kept = await bench.push(await numbered(32));
    await (await bench.watch()).watch.poll();
    bench.door.fault = (request) => Boolean(request.socket.destroy());
    const { watch } = await bench.watch();
    await watch.poll();
    expect(watch.status().active).toMatchObject({ digest: kept, from: "disk" });
    expect(watch.status().active?.signers).toHaveLength(1);
    bench.door.fault = null;
    const next = await bench.push(await numbered(33));
    await watch.poll();
    expect(watch.status().active).toMatchObject({ digest: next, from: "registry" });
  });

  it("at the first start: there is no policy, and the reason is reported", async () => {
    bench.door.fault = (_, response) => Boolean(response.writeHead(429, { "retry-after": "3" }).end());
    const { watch } = await bench.watch();
    await watch.poll();
    expect(await watch.decider()).toBeNull();
    expect(watch.status()).toMatchObject({
      active: null,
      lastError: expect.stringContaining("BUNDLE_REGISTRY_BUSY") as string,
    });
  });

  it("for longer than the limit: the bundle is stale, and requests are denied if the settings require it", async () => {
    let nowMs = Date.UTC(2026, 10, 20);
    await bench.push(await numbered(34));
    const rollout = { ...bench.rollout(), stale: { hours: 1, action: "refuse" as const } };
    const { watch } = await bench.watch({ rollout, nowMs: () => nowMs });
    await watch.poll();
    nowMs += 3_500_000;
    expect(watch.status().stale).toBe(false);
    nowMs += 200_000;
    expect(watch.status().stale).toBe(true);
    await expect(watch.decider()).rejects.toMatchObject({ code: "BUNDLE_STALE" });
    // A clock that went back makes nothing older.
    nowMs -= 40_000_000;
    expect(watch.status().stale).toBe(false);
    expect(await watch.decider()).not.toBeNull();
  });
});

describe("the store on disk", () => {
  it("returns only complete bundles of the same reference", async () => {
    const store = openStore(join(bench.folder, "store"));
    const bytes = Buffer.from("bundle");
    await store.keep("a", { bytes, digest: "sha256:1", signed: true, signers: ["x"] }, 5);
    expect(await store.read("a")).toEqual({ bytes, digest: "sha256:1", signed: true, signers: ["x"], contactedAt: 5 });
    expect(await store.read("b")).toBeNull();
    const [file = ""] = (await import("node:fs"))
      .readdirSync(join(bench.folder, "store"))
      .filter((name) => name.endsWith("gz"));
    await writeFile(join(bench.folder, "store", file), "bund");
    expect(await store.read("a")).toBeNull();
    await writeFile(join(bench.folder, "store", "last-good.json"), "{");
    expect(await store.read("a")).toBeNull();
  });

  it("affects only the next restart if it cannot be written", async () => {
    const file = join(bench.folder, "full");
    await writeFile(file, "");
    const digest = await bench.push(await numbered(40));
    const { watch, events } = await bench.watch({ store: openStore(join(file, "store")) });
    await watch.poll();
    expect(watch.status().active?.digest).toBe(digest);
    expect(events.map(([event]) => event)).toEqual(["bundle active", "bundle not kept on disk"]);
  });
});
