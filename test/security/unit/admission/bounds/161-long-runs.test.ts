import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { LandfallError } from "../../../../../src/errors.ts";
import { HourlyCurve } from "../../../../../src/model/places/intensity.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../../../../../src/model/time.ts";
import { headroom } from "../../../../../src/placement/headroom.ts";
import { runGrid, type SplitRequest, stepOf } from "../../../../../src/placement/split/split-request.ts";
import { splitRun } from "../../../../../src/placement/split/split-run.ts";
import { openRefusedInputs } from "../../../../../webhook/decisions/limits/refused-inputs.ts";
import { context, create, NO_OWNERS, NOW, reviewOf, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import { candidate } from "../../../../unit/placement/requests.ts";

const policy = await loadPolicy();

/** A run that may pause eight times, with a deadline far away. */
const run = (duration: string, more: Record<string, unknown> = {}) =>
  admit(
    create(
      vm({
        ...{ cpu: 2, memory: 8, duration, deadline: "2040-12-01T00:00:00Z" },
        interruptible: { minRun: "1m", maxPauses: 8, resumeCost: "0s" },
        ...more,
      }),
    ),
    context(policy, NOW, NO_OWNERS),
  );

const curve = new HourlyCurve(NOW, Float64Array.of(100, 200), { source: "test", issuedAt: null, until: null });
const splitRequest = (hours: number, windowHours: number, maxPauses: number): SplitRequest => ({
  ...{ curve, nowSeconds: NOW, workSeconds: hours * HOUR_SECONDS, latestEnd: NOW + windowHours * HOUR_SECONDS },
  rules: { minRunSeconds: 60, maxPauses, resumeSeconds: 0 },
  ...{ reserveSeconds: 900, state: { is: "waiting" }, waitingCost: 0, pauseCost: 0 },
});

describe("161: the work of a decision", () => {
  it.each(["60000h", "367d", "999999d", "P100000W"])("has a limit: no run takes %s", (duration) => {
    expect(run(duration)).toMatchObject({
      allowed: false,
      codes: ["ADM_DURATION"],
      message: expect.stringContaining(
        `"${duration}" is longer than 366d; write at most 366d, or omit it for an object that runs until it is deleted`,
      ) as string,
    });
  });

  it.each([{}, { maxLifetime: "400d" }])(
    "is done within two seconds of processor time for the longest run, with %j",
    (more) => {
      const { user } = process.cpuUsage();
      expect(run("366d", more)).toMatchObject({ allowed: true });
      expect(process.cpuUsage().user - user).toBeLessThan(2_000_000);
    },
  );

  it("needs tables of 4 MiB at most for a run that pauses, however long it and its window are", () => {
    for (const hours of [1, 24, 1000, 8784, 60_000, 24_000_000])
      for (const slack of [1, 168, 17_568, 1_000_000])
        for (const maxPauses of [1, 4, 8]) {
          const request = splitRequest(hours, hours + slack, maxPauses);
          const step = stepOf(request);
          // The grid of a window, without the sums that it needs as well.
          const count = Math.floor((request.latestEnd - request.nowSeconds) / step);
          const cells = 2 * (maxPauses + 1) * (Math.ceil(request.workSeconds / step) + 1) * (count + 1);
          expect(cells * Float64Array.BYTES_PER_ELEMENT).toBeLessThan(4 * 2 ** 20);
        }
  });

  it("still plans all of the work of a run that is longer than the tables' steps", () => {
    const request = splitRequest(8784, 8784 + 168, 8);
    const { segments } = splitRun(request);
    const worked = segments.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(worked).toBe(8784 * HOUR_SECONDS);
    expect(segments.at(-1)?.end).toBeLessThanOrEqual(request.latestEnd);
    expect(runGrid(request, stepOf(request)).step).toBeGreaterThan(DAY_SECONDS);
  });

  it("does not multiply the hours of a run by its starts where a place is nearly full", () => {
    const [starts, hours] = [35_000, 87_600];
    const room = headroom({
      candidate: candidate("gcp/a", { vcpus: 2 }),
      starts: { first: NOW, grid: NOW, count: starts },
      seconds: hours * HOUR_SECONDS,
      load: { at: (_place, hour) => (hour === Math.floor(NOW / HOUR_SECONDS) + 9000 ? 97 : 90), totalAt: () => 90 },
      budgets: { limitAt: () => 100, softLimit: { from: 0.8, surcharge: 0.1 } },
    });
    const { user } = process.cpuUsage();
    const factors = Array.from({ length: starts }, (_, index) => room.factorAt(index));
    expect(process.cpuUsage().user - user).toBeLessThan(3_000_000);
    expect(new Set(factors.slice(0, 34_000))).toEqual(new Set([1 + (0.1 * (0.99 - 0.8)) / (1 - 0.8)]));
  });
});

describe("161: a user whose inputs end processes", () => {
  const timeout = new LandfallError("ADM_TIMEOUT", { limit: 4000 });
  const body = (cpu: number, username: string, namespace: string): string =>
    reviewOf(vm({ cpu, memory: 1 }, { namespace }), { userInfo: { username } });
  function after(username: string, namespaces: readonly string[], caller = {}) {
    const refused = openRefusedInputs(
      () => 1000,
      (user) => user.startsWith("system:serviceaccount:landfall-system:"),
    );
    for (const [cpu, namespace] of namespaces.entries())
      refused.add({ path: "/mutate", body: body(cpu, username, namespace), ...caller }, namespace, timeout);
    return (user: string, namespace: string) => refused.check(body(99, user, namespace), namespace)?.code ?? null;
  }

  it("is held in all namespaces, and no one else is", () => {
    const check = after("mallory", ["a", "b", "c"]);
    expect(check("mallory", "d")).toBe("ADM_USER_HELD");
    expect(check("alice", "d")).toBeNull();
    expect(check("alice", "a")).toBeNull();
  });

  it("is held with its namespace alone if there is only one: others may use the same identity", () => {
    const check = after("gitops", ["a", "a", "a"]);
    expect(check("gitops", "a")).toBe("ADM_NAMESPACE_HELD");
    expect(check("gitops", "b")).toBeNull();
  });

  it("is not one of Landfall's own, and not one that an unauthenticated caller names", () => {
    const own = "system:serviceaccount:landfall-system:landfall-controller";
    expect(after(own, ["a", "b", "c"])(own, "d")).toBeNull();
    const caller = { caller: { authentication: "none", source: "10.0.0.66" } } as const;
    expect(after("alice", ["a", "b", "c"], caller)("alice", "d")).toBeNull();
  });
});
