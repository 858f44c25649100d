// 450: rules of a team that are slow for its only namespace, but do not loop, were asked for ever, and everybody waited for them.
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type DecisionProcess, startProcess } from "../../../../webhook/decisions/start-process.ts";
import { reviewOf, vm } from "../../../support/admission.ts";
import { teamBundle } from "../../../support/bundles/other-bundles.ts";
import { policyFile } from "../../../support/load-policy.ts";

const OFF = { mode: "off", keys: [], identities: [], root: null } as const;

/** Takes some hundred milliseconds for each object of the team's namespace, and none for smoke inputs. */
const SLOW = `package landfall.custom.security

_numbers := numbers.range(1, 900)

denials contains "never" if {
	input.metadata.namespace == "hostile"
	some a in _numbers
	some b in _numbers
	a * b == input.metadata.generation
}
`;

const open: DecisionProcess[] = [];
afterEach(() => Promise.all(open.splice(0).map((decider) => decider.stop())));

async function start(slowMs: number): Promise<DecisionProcess> {
  const decider = startProcess({
    ...{ bytes: await readFile(await policyFile()), ref: "platform", signed: false, trust: OFF },
    ...{ keys: [Buffer.alloc(32, 7)] as const, events: [], forecasts: null, timeoutMs: 60_000, logLabels: null },
    others: [
      {
        ...{ bytes: await teamBundle("security", { "security.rego": SLOW }), ref: "team", signed: false, trust: OFF },
        ...{ expected: { name: "security", kind: "policy" }, namespaces: { names: ["hostile"], labels: {} } },
      },
    ],
    onReserved: () => undefined,
    slowMs,
  });
  open.push(decider);
  await decider.ready;
  return decider;
}

const review = (namespace: string, name: string): string =>
  reviewOf(vm({ cpu: 2, memory: 4, provider: "gcp" }, { namespace, name }));

/** One request of the calm namespace after the other: how long each waited, in ms. */
async function waits(decider: DecisionProcess, count: number): Promise<number[]> {
  const all: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const beganMs = performance.now();
    const { log } = await decider.ask("/mutate", review("calm", `calm-${String(at)}`), { namespace: "calm" });
    expect(log).toMatchObject({ allowed: true });
    all.push(performance.now() - beganMs);
    await sleep(5);
  }
  return all;
}

/** Requests of the team's namespace that wait all the time. Returns the status of each answer. */
function flood(decider: DecisionProcess): { stop: () => Promise<{ codes: Set<string>; last: unknown }> } {
  let stopped = false;
  const codes = new Set<string>();
  let last: unknown;
  const lane = async (which: number): Promise<void> => {
    for (let at = 0; !stopped; at += 1) {
      const body = review("hostile", `hostile-${String(which)}-${String(at)}`);
      const reply = await decider.ask("/mutate", body, { namespace: "hostile" });
      for (const code of (reply.log?.["codes"] ?? []) as string[]) codes.add(code);
      last = (JSON.parse(reply.body) as { response: { status?: unknown } }).response.status;
      // A client that is told to come later does not come at once.
      await sleep(1);
    }
  };
  const lanes = [lane(0), lane(1)];
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(lanes);
      return { codes, last };
    },
  };
}

const median = (all: number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

describe("450: slow rules of a team with one namespace", () => {
  it("do not hold up the others for longer than their share, and their own requests are told to come later", async () => {
    const decider = await start(50);
    await waits(decider, 20);
    const alone = median(await waits(decider, 100));
    const hostile = flood(decider);
    const beside = median(await waits(decider, 100));
    const { codes, last } = await hostile.stop();
    expect([...codes]).toEqual(["POL_TEAM_SLOW"]);
    expect(last).toMatchObject({ code: 429, details: { retryAfterSeconds: 30 } });
    expect(JSON.stringify(last)).toMatch(/bundle security .*namespace hostile/);
    // Before, it was as long as one evaluation: a hundred times as long.
    expect(beside).toBeLessThan(4 * alone + 5);
  });
});
