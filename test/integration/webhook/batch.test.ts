import { afterEach, describe, expect, it } from "vitest";
import { type DecisionProcess, startProcess } from "../../../webhook/decisions/start-process.ts";
import { reviewOf, vm } from "../../support/admission.ts";
import { changedBundle } from "../../support/bundles/watched-bundle.ts";

const open: DecisionProcess[] = [];
afterEach(() => Promise.all(open.splice(0).map((decider) => decider.stop())));

/** A process that decides by the project's bundle with this gathering time and budget. */
async function start(gatherMilliseconds: number, vcpus: number | null): Promise<DecisionProcess> {
  const bytes = await changedBundle((data) => {
    const { schedule, ...settings } = data.landfall["settings"] as { schedule: { budgets: object } };
    const budgets = { ...schedule.budgets, vcpus };
    data.landfall["settings"] = { ...settings, schedule: { ...schedule, gatherMilliseconds, budgets } };
  });
  const decider = startProcess({
    ...{ bytes, ref: "test", trust: { mode: "off", keys: [], identities: [], root: null }, signed: false },
    ...{ keys: [Buffer.alloc(32, 7)] as const, events: [], forecasts: null, timeoutMs: 8000, logLabels: null },
    onReserved: () => undefined,
  });
  open.push(decider);
  await decider.ready;
  return decider;
}

async function create(decider: DecisionProcess, name: string, spec: object, dryRun = false): Promise<string> {
  const object = vm({ cpu: 2, memory: 4, provider: "gcp", ...spec }, { name });
  const { body } = await decider.ask("/mutate", reviewOf(object, { uid: name, dryRun }));
  const { response } = JSON.parse(body) as {
    response: { allowed: boolean; patch?: string; status?: { message: string } };
  };
  if (!response.allowed) return /PLACEMENT_\w+/.exec(response.status?.message ?? "")?.[0] ?? "denied";
  const patch = JSON.parse(Buffer.from(response.patch ?? "", "base64").toString()) as { path: string; value: string }[];
  return patch.find(({ path }) => path === "/spec/schedulingLocation")?.value ?? "";
}

/** France is greener than Germany; one may go to either, the other has to stay in France, where there is room for one. */
let round = 0;
const both = (decider: DecisionProcess): Promise<string[]> => {
  round += 1;
  return Promise.all([
    create(decider, `either-${String(round)}`, { dataResidency: ["FR", "DE"] }),
    create(decider, `france-${String(round)}`, { dataResidency: ["FR"] }),
  ]);
};

describe("objects that are admitted at the same moment", () => {
  it("are placed together under budgets, with earlier and later objects taken into account", async () => {
    const decider = await start(50, 2);
    const [either, france] = await both(decider);
    expect(france).toBe("europe-west9");
    expect(["europe-west3", "europe-west10"]).toContain(either);
    expect(await both(decider)).toEqual([expect.stringMatching(/^europe-west(3|10)$/), "PLACEMENT_BUDGET"]);
    expect(await create(decider, "later", { dataResidency: ["FR", "DE"] })).toBe("PLACEMENT_BUDGET");
  });

  it("are placed one after the other if the settings disable batches", async () => {
    expect(await both(await start(0, 2))).toEqual(["europe-west9", "PLACEMENT_BUDGET"]);
  });

  it("do not wait without a budget", async () => {
    const decider = await start(1000, null);
    const began = performance.now();
    expect(await both(decider)).toEqual(["europe-west9", "europe-west9"]);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it("are placed without waiting if there are many; a dry run is not part of the batch", async () => {
    const decider = await start(1000, 8);
    const ended: string[] = [];
    const ask = async (name: string, dryRun = false): Promise<string> => {
      const place = await create(decider, name, { dataResidency: ["FR", "DE"] }, dryRun);
      ended.push(name);
      return place;
    };
    const many = Promise.all(Array.from({ length: 15 }, (_, index) => ask(`vm-${String(index)}`)));
    expect(await ask("dry", true)).toBe("europe-west9");
    expect(ended).toEqual(["dry"]);
    const [places, last] = await Promise.all([many, ask("vm-15")]);
    const after = performance.now();
    const count = Map.groupBy([...places, last], (place) => place);
    // 8 vCPU in each of three regions are room for twelve of them.
    expect(count.get("PLACEMENT_BUDGET")).toHaveLength(4);
    for (const region of ["europe-west9", "europe-west3", "europe-west10"]) expect(count.get(region)).toHaveLength(4);
    // The sixteenth ended the wait of the others; one alone waits to the end.
    await ask("alone");
    expect(performance.now() - after).toBeGreaterThan(900);
  });
});
