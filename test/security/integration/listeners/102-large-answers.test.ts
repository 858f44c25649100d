import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type DecisionProcess, startProcess } from "../../../../webhook/decisions/start-process.ts";
import { reviewOf, vm } from "../../../support/admission.ts";
import { HOSTILE, hostileBundle, NESTED } from "../../../support/bundles/hostile-module.ts";
import { policyFile } from "../../../support/load-policy.ts";

const OFF = { mode: "off", keys: [], identities: [], root: null } as const;
const open: DecisionProcess[] = [];
afterEach(() => Promise.all(open.splice(0).map((decider) => decider.stop())));

async function start(result: string): Promise<DecisionProcess> {
  const other = { bytes: hostileBundle("security", result), ref: "other", signed: false, trust: OFF };
  const decider = startProcess({
    ...{ bytes: await readFile(await policyFile()), ref: "platform", signed: false, trust: OFF },
    ...{ keys: [Buffer.alloc(32, 7)] as const, events: [], forecasts: null, timeoutMs: 8000, logLabels: null },
    others: [{ ...other, expected: { name: "security", kind: "policy" } }],
    onReserved: () => undefined,
  });
  open.push(decider);
  await decider.ready;
  return decider;
}

const ask = (decider: DecisionProcess, tags: Record<string, string>) =>
  decider
    .ask("/mutate", reviewOf(vm({ cpu: 2, memory: 4, provider: "gcp", tags }, { labels: { owner: "a" } })))
    .then(({ log }) => log);

describe("102: a team's answer of up to 4 MiB ends no process", () => {
  it.each(Object.entries(HOSTILE))("and names the team: %s", async (_, result) => {
    const decider = await start(result);
    expect(await ask(decider, { trap: "on" })).toMatchObject({ codes: ["POL_TEAM"], failedTeam: "security" });
    expect(await ask(decider, {})).toMatchObject({ allowed: true });
  });

  it.each(Object.entries(NESTED))("and takes no time: %s", async (_, result) => {
    const decider = await start(result);
    expect(await ask(decider, { trap: "on" })).toMatchObject({ allowed: true });
  });
});
