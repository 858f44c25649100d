import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { countCompositions } from "../../../src/composition/context/composition-metrics.ts";
import { readyStates } from "../../../src/composition/controller/ready-states.ts";
import { apiPath } from "../../../src/cluster/api-path.ts";
import { countAdmissions } from "../../../webhook/metrics/admission-metrics.ts";
import type { Reply } from "../../../webhook/review/answer-review.ts";

const NAMES = 1000;

const reply = (log: Reply["log"], figures?: Reply["figures"]): Reply => ({
  ...{ status: 200, body: "{}", log },
  ...(figures === undefined ? {} : { figures }),
});

const about = (index: number) => ({
  ...{ uid: `uid-${index}`, kind: "VmTemplate", operation: "CREATE" },
  ...{ namespace: `namespace-${index}`, name: `name-${index}`, ms: 1 },
});

/** The series of each metric, without those of buckets. */
async function seriesOf(registry: Registry): Promise<Map<string, number>> {
  const text = await registry.metrics();
  const found = new Map<string, number>();
  for (const line of text.split("\n")) {
    const name = /^([a-z_]+)(?:\{|\s)/.exec(line)?.[1];
    if (name !== undefined && !name.endsWith("_bucket")) found.set(name, (found.get(name) ?? 0) + 1);
  }
  return found;
}

it("has as many series after a thousand names, namespaces, kinds and codes as their kinds need", async () => {
  const registry = new Registry();
  const note = countAdmissions(registry);
  for (let index = 0; index < NAMES; index += 1) {
    note("/mutate", reply({ ...about(index), allowed: false, codes: [`TEAM_${index}`, "POL_QUOTA"] }), 0.01);
    note("/mutate", reply({ ...about(index), kind: `Kind${index}`, operation: `OP${index}`, allowed: true }), 0.01);
    note("/validate", reply({ ...about(index), allowed: false, codes: [`not a code ${index}`, 5] }), 0.01);
  }
  const series = await seriesOf(registry);
  expect(series.get("landfall_admissions_total")).toBe(3);
  // A hundred codes of bundles, POL_QUOTA and `other`.
  expect(series.get("landfall_admission_denials_total")).toBe(102);
  expect(Math.max(...series.values())).toBe(102);
  expect(await registry.metrics()).not.toMatch(/(?:name|namespace|uid|Kind|OP)-?\d/);
});

it("has the same series of a controller for one object and for a thousand", async () => {
  const objects = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      key: `vmtemplates/namespace-${index}/name-${index}`,
      path: apiPath`/apis/x`,
      object: {
        ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: index % 2 === 0 ? "VmTemplate" : `Kind${index}` },
        metadata: { name: `name-${index}`, namespace: `namespace-${index}` },
        status: { conditions: [{ type: "Ready", status: index < 4 ? "True" : `odd-${index}`, reason: `r-${index}` }] },
      },
    }));
  const textOf = async (count: number): Promise<string> => {
    const registry = new Registry();
    const metrics = countCompositions(registry);
    metrics.observe({ lanes: () => ({}), leads: () => true, objects: () => readyStates(objects(count)) });
    return registry.metrics();
  };
  const text = await textOf(NAMES);
  expect(text.match(/^landfall_objects\{.*$/gm)?.sort()).toEqual([
    'landfall_objects{kind="VmTemplate",ready="True"} 2',
    'landfall_objects{kind="VmTemplate",ready="Unknown"} 498',
    'landfall_objects{kind="other",ready="True"} 2',
    'landfall_objects{kind="other",ready="Unknown"} 498',
  ]);
});

it("counts outcomes, stages, and what decisions give and save", async () => {
  const registry = new Registry();
  const note = countAdmissions(registry);
  const placed = { provider: "gcp", per: "run", grams: 3, baselineGrams: 10, usd: 0.5, baselineUsd: 0.75 } as const;
  note("/mutate", reply({ ...about(1), allowed: true, ms: 4 }, { policyMs: 1, placed }), 0.006);
  note(
    "/mutate",
    reply({ ...about(2), allowed: true, ms: 4 }, { policyMs: 1, placed: { ...placed, grams: 12, baselineUsd: 0.375 } }),
    0.006,
  );
  note("/validate", reply(null), 0.001);
  const text = await registry.metrics();
  for (const line of [
    'landfall_admissions_total{webhook="placement",kind="VmTemplate",operation="CREATE",outcome="allowed"} 2',
    'landfall_admissions_total{webhook="guard",kind="other",operation="other",outcome="skipped"} 1',
    'landfall_decisions_total{provider="gcp",per="run"} 2',
    'landfall_decided_grams_total{provider="gcp",per="run"} 15',
    'landfall_decided_grams_saved_total{provider="gcp",per="run"} 7',
    'landfall_decided_grams_added_total{provider="gcp",per="run"} 2',
    'landfall_decided_usd_total{provider="gcp",per="run"} 1',
    'landfall_decided_usd_saved_total{provider="gcp",per="run"} 0.25',
    'landfall_decided_usd_added_total{provider="gcp",per="run"} 0.125',
    'landfall_admission_duration_seconds_sum{webhook="placement",stage="policy"} 0.002',
    'landfall_admission_duration_seconds_sum{webhook="placement",stage="rest"} 0.006',
    'landfall_admission_duration_seconds_sum{webhook="placement",stage="wait"} 0.004',
    'landfall_admission_duration_seconds_count{webhook="guard",stage="total"} 1',
  ])
    expect(text).toContain(line);
});
