// A provider that does not stop a machine: the conditions say what it says.
import { describe, expect, it } from "vitest";
import type { FollowedRun } from "../../../../src/composition/run/follow/follow-run.ts";
import { runConditions, whileStopped } from "../../../../src/composition/run/follow/run-status.ts";
import { withStillOn } from "../../../../src/composition/run/follow/still-on.ts";
import { tellPause } from "../../../../src/composition/run/follow/tell-pause.ts";
import type { ConditionInput, Resource } from "../../../../src/composition/types.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { google, HOUR, oneRun, pausing, recordOf, START } from "../../../support/composition/one-run.ts";

const AVAILABLE: ConditionInput = {
  type: "Ready",
  status: "True",
  reason: "Available",
  message: "1 resource is ready",
};
const PARTS = [
  [0, 1],
  [5, 7.2],
] as const;
const PAUSING = { duration: "3h", whenDone: "delete", provider: "gcp", interruptible: {} };
const STOPPED = { duration: "1h", whenDone: "stop", provider: "gcp" };
const elemento = (state: string): Resource => ({
  ...{ apiVersion: "elemento.landfall.dev/v1alpha1", kind: "ElementoVm", metadata: {} },
  status: { state },
});

/** The object as its status says that the machine is off since then, in hours, or what its condition Running says instead. */
function said(object: Resource, hours: number, more: object = {}): Resource {
  const lastTransitionTime = formatTime(START + hours * HOUR);
  const running = { type: "Running", status: "False", reason: "Paused", message: "", lastTransitionTime, ...more };
  return { ...object, status: { conditions: [running] } };
}

/** The conditions of a run that began at START, so many hours after that, with this machine. */
async function told(object: Resource, { hours, machine }: { hours: number; machine: Resource | null }) {
  const pauses = [{ from: START + HOUR, to: START + 5 * HOUR }];
  const pausesToo = object.spec?.["interruptible"] === undefined ? {} : { pauses, resume: 600 };
  const { plan, ...record } = recordOf(object.spec ?? {}, { wasReady: object.spec?.["interruptible"] === undefined });
  const { follow } = oneRun({ record: { ...record, plan: { ...plan, ...pausesToo } }, machine });
  const followed = await follow(object, hours);
  const run = withStillOn(followed, { object, live: [null, machine], nowSeconds: START + hours * HOUR });
  const { record: after, step, now } = run as FollowedRun;
  const events: string[] = [];
  const context = { record: (_: Resource, { reason }: { reason: string }) => events.push(reason) };
  tellPause(context, object, run);
  const conditions = [whileStopped(AVAILABLE, run), ...runConditions(after, step, now)];
  return { events, of: (type: string) => conditions.find((one) => one.type === type) };
}

describe("a pause that the provider does not carry out", () => {
  const object = pausing(PAUSING, PARTS);

  it.each([google("RUNNING"), elemento("running")])("is told after a while: %o", async (machine) => {
    const { events, of } = await told(said(object, 1), { hours: 1.2, machine });
    expect(of("Running")).toMatchObject({ status: "True", reason: "PauseFailed" });
    expect(of("Running")?.message).toMatch(/should be off until .*, and is still (RUNNING|running) at its provider/);
    expect(of("Ready")).toMatchObject({ status: "False", reason: "PauseFailed" });
    expect(events).toEqual(["PauseFailed"]);
  });

  it("is told once, and until the machine is off", async () => {
    const failed = said(object, 2, { status: "True", reason: "PauseFailed" });
    const on = await told(failed, { hours: 2.01, machine: google("RUNNING") });
    expect([on.events, on.of("Running")?.reason]).toEqual([[], "PauseFailed"]);
    const off = await told(failed, { hours: 2.01, machine: google("TERMINATED") });
    expect([off.events, off.of("Running")?.reason]).toEqual([[], "Paused"]);
    const resumed = await told(failed, { hours: 5.1, machine: google("RUNNING") });
    expect([resumed.events, resumed.of("Running")?.reason]).toEqual([["Resumed"], "Started"]);
  });

  it.each<[string, Resource, Resource | null]>([
    ["while it may still be stopping", said(object, 1.1), google("RUNNING")],
    ["while nothing was said yet", object, google("RUNNING")],
    ["before the pause was said", said(object, 0, { status: "True", reason: "Started" }), google("RUNNING")],
    ["of a machine that is off", said(object, 1), google("TERMINATED")],
    ["where no machine is known", said(object, 1), null],
  ])("is not told %s", async (_what, given, machine) => {
    expect((await told(given, { hours: 1.2, machine })).of("Running")).toMatchObject({ reason: "Paused" });
  });
});

describe("a machine that its provider does not stop at the end", () => {
  const object = pausing(STOPPED, [[0, 1]]);

  it("is told with its cost", async () => {
    const { of } = await told(said(object, 1), { hours: 48, machine: google("RUNNING") });
    expect(of("Ready")).toMatchObject({ status: "False", reason: "StopFailed" });
    expect(of("Overdue")).toMatchObject({ status: "True", reason: "StopFailed" });
    expect(of("Overdue")?.message).toContain("is still RUNNING at its provider: 47.00 USD since then");
    expect(of("Completed")).toMatchObject({ status: "True" });
  });

  it("is not told while it may still be stopping, nor when it is off", async () => {
    for (const [since, word] of [
      [47.9, "RUNNING"],
      [1, "TERMINATED"],
    ] as const) {
      const { of } = await told(said(object, since), { hours: 48, machine: google(word) });
      expect([of("Ready")?.reason, of("Overdue")?.status]).toEqual(["Completed", "False"]);
    }
  });

  it("is reported as its provider refuses it", () => {
    const refused = { ...AVAILABLE, status: "False", reason: "ProviderRetrying" } as const;
    expect(whileStopped(refused, null)).toBe(refused);
  });
});
