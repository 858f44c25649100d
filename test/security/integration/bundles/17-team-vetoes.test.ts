import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { reviewOf, vm } from "../../../support/admission.ts";
import { SECURITY, teamBundle } from "../../../support/bundles/other-bundles.ts";
import { type Bench, changedBundle, numbered, openBench } from "../../../support/bundles/watched-bundle.ts";
import type { BundleWatch } from "../../../../webhook/bundle-watch/watch-bundle.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterEach(() => rm(join(bench.folder, "store"), { recursive: true, force: true }));
afterAll(() => bench.stop());

/** Objects of everyone else, and what the smoke case asks for. */
const RULES = `package landfall.custom.security

denials contains "no owner" if {
	not input.metadata.labels.owner
	input.spec.provider != "aws"
}
`;

/** The team's bundle insists that AWS is allowed. */
const insisting = (): Promise<Buffer> =>
  teamBundle("security", {
    "security.rego": RULES,
    "landfall/custom/security/smoke/data.json": JSON.stringify({
      cases: [{ name: "aws", spec: { cpu: 2, memory: 4, provider: "aws" }, allowed: true }],
    }),
  });

/** The platform's stricter bundle. */
const withoutAws = (): Promise<Buffer> =>
  changedBundle((data) => {
    data.landfall["settings"] = { ...data.landfall["settings"], providers: ["azure", "gcp", "elemento"] };
  });

/** The platform's bundle with a rule of its own at the team's root. */
const claiming = (): Promise<Buffer> =>
  changedBundle(
    (data) => {
      data.landfall["custom"] = { security: { owned: true } };
    },
    { "landfall/custom/security.rego": "package landfall.custom.security\n" },
  );

const nobodys = reviewOf(vm({ cpu: 2, memory: 4, provider: "gcp" }));

async function ask(watch: BundleWatch): Promise<unknown> {
  const decider = await watch.decider().catch(() => null);
  const reply = await decider?.ask("/mutate", nobodys);
  return reply?.log?.["allowed"] === true ? "allowed" : reply?.log?.["codes"];
}

async function follow(required: boolean): Promise<BundleWatch> {
  await bench.push(await numbered(required ? 1 : 2));
  await bench.push(await insisting(), true, "security");
  const others = [await bench.other("security", "policy", { required })];
  // Denied by the team alone: that its rules are gone does not make the platform's bundle looser.
  const { watch } = await bench.watch({ others, refused: () => [nobodys] });
  await watch.poll();
  expect(await ask(watch)).toEqual(["POL_CUSTOM"]);
  return watch;
}

describe("17: a team cannot veto a bundle of the platform", () => {
  it("by a smoke case that a stricter bundle fails: its own bundle is suspended", async () => {
    const watch = await follow(false);
    const strict = await bench.push(await withoutAws());
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: strict }, quarantined: [] });
    expect(watch.status().others["security"]).toMatchObject({ active: null, quarantined: [{ code: "BUNDLE_SMOKE" }] });
    expect(await ask(watch)).toBe("allowed");
    const fit = await bench.push(await teamBundle("security", { "security.rego": SECURITY }), true, "security");
    await watch.poll();
    expect(watch.status().others["security"]).toMatchObject({ active: { digest: fit } });
  });

  it("by a root that the platform takes over: a required team's bundle denies everything until it fits", async () => {
    const watch = await follow(true);
    const taken = await bench.push(await claiming());
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: taken }, quarantined: [], missing: ["security"] });
    expect(watch.status().others["security"]).toMatchObject({ active: null, quarantined: [{ code: "BUNDLE_ROOTS" }] });
    await expect(watch.decider()).rejects.toMatchObject({ code: "BUNDLE_REQUIRED" });
  });
});
