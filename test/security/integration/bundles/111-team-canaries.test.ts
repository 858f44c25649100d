import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { reviewOf, vm } from "../../../support/admission.ts";
import { teamBundle } from "../../../support/bundles/other-bundles.ts";
import { type Bench, changedBundle, numbered, openBench } from "../../../support/bundles/watched-bundle.ts";
import type { BundleWatch } from "../../../../webhook/bundle-watch/watch-bundle.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterEach(() => rm(join(bench.folder, "store"), { recursive: true, force: true }));
afterAll(() => bench.stop());

const live = ["a", "b", "c", "d"].map((namespace) =>
  vm({ cpu: 2, memory: 4, provider: "gcp" }, { name: `m-${namespace}`, namespace }),
);
const [question = ""] = live.map((object) => reviewOf(object));

/** Denies everything once the platform's catalog has the area NEW, and what has the label `late`. */
const waiting = (team: string): Promise<Buffer> =>
  teamBundle(team, {
    "rules.rego": `package landfall.custom.${team}

denials contains "no" if data.landfall.catalog.residency.areas["NEW"]

denials contains "late" if input.metadata.labels.late
`,
  });

/** Never denies the live objects. */
const harmless = (team: string): Promise<Buffer> =>
  teamBundle(team, {
    "rules.rego": `package landfall.custom.${team}\n\ndenials contains "late" if input.metadata.labels.late\n`,
  });

/** The platform's update: a new area, which changes no decision. */
const withArea = (): Promise<Buffer> =>
  changedBundle((data) => {
    const residency = data.landfall["catalog"]?.["residency"] as {
      areas: Record<string, object>;
      places: Record<string, number[]>;
    };
    residency.areas["NEW"] = { IT: true };
    residency.places["NEW"] = [0];
  });

/** The platform's update that denies the live objects. */
const withoutGoogle = (): Promise<Buffer> =>
  changedBundle((data) => {
    data.landfall["settings"] = { ...data.landfall["settings"], providers: ["aws", "azure", "elemento"] };
  });

async function follow(number: number): Promise<BundleWatch> {
  await bench.push(await numbered(number));
  await bench.push(await waiting("security"), true, "security");
  await bench.push(await harmless("payments"), true, "payments");
  const others = [
    await bench.other("security", "policy", { required: false }),
    await bench.other("payments", "policy", { required: false }),
  ];
  const { watch } = await bench.watch({ others, canaries: () => Promise.resolve(live) });
  await watch.poll();
  expect(watch.status().others).toMatchObject({
    security: { active: { from: "registry" } },
    payments: { active: { from: "registry" } },
  });
  return watch;
}

const used = async (watch: BundleWatch): Promise<unknown> =>
  (await (await watch.decider())?.ask("/mutate", question))?.log?.["allowed"];

describe("111: canaries", () => {
  it("suspend a team whose rules deny once the platform's bundle changes, and no other team", async () => {
    const watch = await follow(1);
    const fresh = await bench.push(await withArea());
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: fresh }, quarantined: [] });
    expect(watch.status().others).toMatchObject({
      security: { active: null, quarantined: [{ code: "BUNDLE_CANARY" }] },
      payments: { active: { from: "registry" }, quarantined: [] },
    });
    expect(watch.status().others["security"]?.quarantined[0]?.reason).toContain("/security:latest");
    expect(await used(watch)).toBe(true);
  });

  it("refuse a bundle of the platform that denies by itself, and suspend no team", async () => {
    const watch = await follow(3);
    const before = watch.status().active?.digest;
    await bench.push(await withoutGoogle());
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: before }, quarantined: [{ code: "BUNDLE_CANARY" }] });
    expect(watch.status().others).toMatchObject({
      security: { active: { from: "registry" }, quarantined: [] },
      payments: { active: { from: "registry" }, quarantined: [] },
    });
  });
});
