// 464: rules of a team that loop or exhaust memory for the objects of one owner alone stay in use. Its requests ended a process once a minute in each of its
// namespaces without an end, and everybody waited for each new one.
import { describe, expect, it } from "vitest";
import { LandfallError } from "../../../../../src/errors.ts";
import type { OwnerOf } from "../../../../../src/external-data/sample-fairly.ts";
import { askSafely } from "../../../../../webhook/decisions/ask-safely.ts";
import { openIntake } from "../../../../../webhook/decisions/limits/intake.ts";
import { openRefusedInputs, type RefusedInputs } from "../../../../../webhook/decisions/limits/refused-inputs.ts";
import type { DecisionProcess } from "../../../../../webhook/decisions/start-process.ts";
import { scanReview } from "../../../../../webhook/review/scan-review.ts";
import { reviewOf, vm } from "../../../../support/admission.ts";

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
const LOOP = new LandfallError("POL_TEAM", { bundle: "security", detail: "it loops" });

const review = (namespace: string, cpu: number): string =>
  reviewOf(vm({ cpu, memory: 4 }, { namespace, name: `vm-${String(cpu)}` }));

interface Attack {
  refused: RefusedInputs;
  clock: { ms: number };
  namespaces: readonly string[];
  forMs: number;
}

/** Each namespace sends another object every ten seconds, and each that is decided ends a process. Returns how many do, and the codes of the others. */
function attack({ refused, clock, namespaces, forMs }: Attack): { ends: number; codes: Set<string> } {
  let ends = 0;
  const codes = new Set<string>();
  for (const endMs = clock.ms + forMs; clock.ms < endMs; clock.ms += 10 * SECOND)
    for (const namespace of namespaces) {
      const body = review(namespace, clock.ms / SECOND);
      const reason = refused.check(body, namespace);
      if (reason === null) {
        ends += 1;
        refused.add({ path: "/mutate", body }, namespace, LOOP);
      } else codes.add(reason.code);
    }
  return { ends, codes };
}

function open(ownerOf?: OwnerOf): { refused: RefusedInputs; clock: { ms: number } } {
  const clock = { ms: 0 };
  return { refused: openRefusedInputs(() => clock.ms, undefined, ownerOf), clock };
}

describe("464: a namespace whose objects end processes", () => {
  it("is refused for longer each time, for an hour at most, and no other one is", () => {
    const { refused, clock } = open();
    const { ends, codes } = attack({ refused, clock, namespaces: ["hostile"], forMs: 24 * HOUR });
    expect(ends).toBeGreaterThan(24);
    expect(ends).toBeLessThan(36);
    expect([...codes]).toEqual(["ADM_NAMESPACE_HELD"]);
    expect(refused.check(review("calm", 2), "calm")).toBeNull();
    expect(refused.check(review("hostile", 2), "hostile")?.message).toMatch(/hostile .*bundle security/);
  });

  it("is tried again after each time, and begins anew when it has ended none for ten minutes", () => {
    const { refused, clock } = open();
    attack({ refused, clock, namespaces: ["hostile"], forMs: 5 * MINUTE });
    expect(refused.check(review("hostile", 2), "hostile")).not.toBeNull();
    clock.ms += 15 * MINUTE;
    expect(refused.check(review("hostile", 2), "hostile")).toBeNull();
    refused.add({ path: "/mutate", body: review("hostile", 2) }, "hostile", LOOP);
    expect(refused.check(review("hostile", 3), "hostile")).toBeNull();
  });

  it("is free again when the rules of the team are given up", () => {
    const { refused, clock } = open();
    attack({ refused, clock, namespaces: ["hostile"], forMs: HOUR });
    refused.forgive("security");
    expect(refused.check(review("hostile", 2), "hostile")).toBeNull();
  });

  it("does not end a process for each of its requests that waited", async () => {
    const { refused } = open();
    let asked = 0;
    const decider = {
      ask: (_path: string, body: string) => {
        asked += 1;
        // The first three end a process each, and all that wait are to be asked again.
        refused.add({ path: "/mutate", body }, "hostile", LOOP);
        return Promise.reject(new LandfallError("ADM_RESTARTING"));
      },
    } as unknown as DecisionProcess;
    const ask = askSafely({
      ...{ decider: () => Promise.resolve(decider), decisionLog: null, intake: openIntake(), refused },
      namespaceKnown: () => Promise.resolve(),
    });
    const replies = await Promise.all(
      [1, 2, 3].map((cpu) => {
        const body = review("hostile", cpu);
        return ask("/mutate", body, scanReview(body));
      }),
    );
    expect(asked).toBe(3);
    for (const { body } of replies) expect(body).toContain("ADM_NAMESPACE_HELD");
  });
});

describe("464: an owner of many namespaces whose objects end processes", () => {
  const ownerOf: OwnerOf = (namespace) =>
    namespace.startsWith("hostile") ? "owner mallory" : `namespace ${namespace}`;

  it("is refused in all of them, and no other owner is", () => {
    const { refused, clock } = open(ownerOf);
    const namespaces = Array.from({ length: 20 }, (_, at) => `hostile-${String(at)}`);
    const { ends, codes } = attack({ refused, clock, namespaces, forMs: HOUR });
    expect(ends).toBeLessThan(12);
    expect(codes).toContain("ADM_OWNER_HELD");
    expect(refused.check(review("calm", 2), "calm")).toBeNull();
  });

  it("is not refused in its other namespaces for what one of them does", () => {
    const { refused, clock } = open(ownerOf);
    attack({ refused, clock, namespaces: ["hostile-1"], forMs: HOUR });
    expect(refused.check(review("hostile-1", 2), "hostile-1")?.code).toBe("ADM_NAMESPACE_HELD");
    expect(refused.check(review("hostile-2", 2), "hostile-2")).toBeNull();
  });
});
