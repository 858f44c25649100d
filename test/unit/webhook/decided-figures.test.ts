import { describe, expect, it } from "vitest";
import { createClusterData } from "../../../src/external-data/cluster-data.ts";
import { makeAnswers } from "../../../webhook/decisions/process/make-answers.ts";
import type { PlacedFigures } from "../../../webhook/review/answer-review.ts";
import { KEYS, NOW, reviewOf, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";

const policy = await loadPolicy();
/** Machines cost more here than in most places of this provider. */
const ORIGIN = "europe-west6";
const SPEC = { cpu: 4, memory: 16, provider: "gcp", origin: `gcp/${ORIGIN}` };

/** The figures of a creation in a cluster that has nothing yet. */
function figuresOf(spec: object, fields: object = {}): PlacedFigures | null {
  const clusterData = createClusterData();
  const data = { name: "demo", labels: {}, annotations: {} };
  clusterData.apply({ type: "namespace", name: "demo", data });
  const answers = makeAnswers({
    ...{ policy, clusterData, nowSeconds: () => NOW },
    ...{ forecasts: () => null, keys: () => KEYS },
  });
  const review = reviewOf(vm({ ...SPEC, ...spec }, { name: "web" }), { uid: "1", ...fields });
  const { figures } = answers("/mutate", review);
  if (figures === undefined) throw new Error("nothing was decided");
  return figures.placed;
}

describe("the price that a decision is compared with", () => {
  it("is that of the object that has to run at the origin", () => {
    const [free, pinned] = [figuresOf({}), figuresOf({ schedulingLocation: ORIGIN })];
    expect(pinned?.usd).toBeGreaterThan(0);
    expect(pinned?.baselineUsd).toBe(pinned?.usd);
    expect(free?.baselineUsd).toBe(pinned?.usd);
    expect(free?.usd).toBeLessThan(pinned?.usd ?? 0);
  });

  it("is of the whole run, as the price of the decision is", () => {
    const [hour, run] = [figuresOf({}), figuresOf({ duration: "3h" })];
    expect([hour?.per, run?.per]).toEqual(["hour", "run"]);
    expect(run?.baselineUsd).toBeCloseTo(3 * (hour?.baselineUsd ?? 0), 9);
  });

  it("is not known where the rules do not allow the origin", () => {
    expect(figuresOf({ dataResidency: ["FR"] })).toMatchObject({ baselineUsd: null });
    expect(figuresOf({ dataResidency: ["FR"] })?.usd).toBeGreaterThan(0);
  });

  it("is counted for no dry run", () => {
    expect(figuresOf({}, { dryRun: true })).toBeNull();
  });
});
