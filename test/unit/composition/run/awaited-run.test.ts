// Another run begins on a machine that is stopped, and the last run's end is not its own.
import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import { conditionsOfRun, withAwaited } from "../../../../src/composition/run/follow/awaited-run.ts";
import { followRun } from "../../../../src/composition/run/follow/follow-run.ts";
import { runConditions } from "../../../../src/composition/run/follow/run-status.ts";
import type { FollowedRun } from "../../../../src/composition/run/follow/follow-run.ts";
import type { ConditionInput } from "../../../../src/composition/types.ts";
import { cnrm, HOUR, revisionOf, RunWithMachine, START } from "../../../support/composition/run-with-machine.ts";

const machine = (currentStatus: string) =>
  cnrm("ComputeInstance", null, { status: { currentStatus, instanceId: "1" } });

/** A run that was reported to be done after three hours, on a machine that may last four; another one is asked for. */
function asked(word: string, isRestarted: boolean): RunWithMachine {
  const end = { at: START + 3 * HOUR, by: "annotation", outcome: "succeeded" } as const;
  const spec = { duration: "3h", maxLifetime: "4h", whenDone: "stop" };
  const run = new RunWithMachine({ spec, record: { end, wasReady: true }, annotations: { "landfall.dev/run": "2" } });
  run.live = [machine(word)];
  run.revisions = [revisionOf("deployed", run.live)];
  if (!isRestarted) run.context.releases.set("u", { objects: [0] } as never);
  run.now = START + 3 * HOUR + 2;
  return run;
}

const conditionsOf = (run: RunWithMachine, { record, step }: FollowedRun): ConditionInput[] =>
  withAwaited(run.object, record, runConditions(record, step, run.now));

describe("another run right after the end, on a machine that is being stopped", () => {
  it.each([false, true])("waits until it is off, and has its own limit: a new controller: %s", async (isRestarted) => {
    const run = asked("RUNNING", isRestarted);
    const waits = await run.follow();
    expect(waits.step.do).toBe("stop");
    expect(waits.record).toMatchObject({ run: "", startedAt: START });
    run.live = [machine("TERMINATED")];
    const begun = await run.follow();
    expect(begun.record).toMatchObject({ run: "2", startedAt: run.now, firstStartedAt: run.now });
    expect(begun.step.endsAt).toBe(run.now + 3 * HOUR);
    expect(run.events).toEqual(["AnotherRun: run 2 was asked for"]);
  });

  it("shows the end of the last run as that of none", async () => {
    const run = asked("RUNNING", false);
    const conditions = conditionsOf(run, await run.follow());
    const message = "run 2 was asked for, and has not begun";
    for (const type of ["Running", "Completed", "Failed"])
      expect(conditions).toContainEqual({ type, status: "False", reason: "NotBegun", message });
    expect(conditions).toContainEqual({ type: "Overdue", status: "False", reason: "InTime", message: "" });
  });

  it("keeps the end of a run after which no other one is asked for", async () => {
    const run = asked("TERMINATED", false);
    run.object = { ...run.object, metadata: { ...run.object.metadata, annotations: {} } };
    expect(conditionsOf(run, await run.follow())).toContainEqual(
      expect.objectContaining({ type: "Completed", status: "True", reason: "Reported" }),
    );
  });
});

describe("another run that waits for its start, after nothing was left of the last one", () => {
  const end = { at: START + HOUR, by: "time", outcome: "unknown" } as const;
  const shown = [
    ...["Completed", "Running", "Failed"].map((type) => ({ type, status: "False", reason: "DurationOver" })),
    { type: "Overdue", status: "True", reason: "NothingEndsIt" },
  ];

  /** An object that is paused until its start, after a run that is over. */
  async function waiting(annotations: Record<string, string>) {
    const spec = { duration: "1h", whenDone: "delete" };
    const run = new RunWithMachine({
      spec,
      record: { end, wasReady: true, removedAt: START + 2 * HOUR },
      annotations: { "krateo.io/paused": "true", ...annotations },
    });
    run.object = { ...run.object, status: { conditions: shown, run: { ended: "" } } };
    run.now = START + 3 * HOUR;
    const followed = await followRun(run.context, { key: "u", path: apiPath`/apis/x`, object: run.object });
    return conditionsOfRun(run.object, followed);
  }

  it("has not begun, and is not without an end", async () => {
    const message = "run 2 was asked for, and has not begun";
    expect(await waiting({ "landfall.dev/run": "2" })).toEqual([
      ...["Completed", "Running", "Failed"].map((type) => ({ type, status: "False", reason: "NotBegun", message })),
      { type: "Overdue", status: "False", reason: "InTime", message: "" },
    ]);
  });

  it("is the last one as long as no other is asked for", async () => {
    expect(await waiting({})).toContainEqual(
      expect.objectContaining({ type: "Completed", status: "True", reason: "DurationOver" }),
    );
  });
});
