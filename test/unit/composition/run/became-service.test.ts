// The end of a run is removed from its object: it is a service from then on, and nothing ends it.
import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import { conditionsOfRun } from "../../../../src/composition/run/follow/awaited-run.ts";
import { type FollowedRun, followRun } from "../../../../src/composition/run/follow/follow-run.ts";
import { fieldsOfRun } from "../../../../src/composition/run/follow/run-status.ts";
import { powerOf } from "../../../../src/composition/report/run-values.ts";
import { cnrm, decisionOf, HOUR, RunWithMachine, START } from "../../../support/composition/run-with-machine.ts";

const machine = (currentStatus: string) =>
  cnrm("ComputeInstance", null, { status: { currentStatus, instanceId: "1" } });
const CLUSTER = cnrm("ContainerCluster", null, { status: { endpoint: "192.0.2.1" } });

/** Follows the run, which may be none by now. */
function follow(run: RunWithMachine, hours: number): Promise<FollowedRun | null> {
  run.now = START + hours * HOUR;
  return followRun(run.context, { key: "u", path: apiPath`/apis/x`, object: run.object });
}

function endless(run: RunWithMachine): void {
  const {
    duration: _duration,
    maxLifetime: _limit,
    whenDone: _end,
    interruptible: _pauses,
    ...spec
  } = run.object.spec ?? {};
  const annotations = decisionOf([[0, 1]]);
  run.object = { ...run.object, spec, metadata: { ...run.object.metadata, annotations } };
}

describe("a run whose end is removed", () => {
  it.each([
    ["VmTemplate", machine("RUNNING")],
    ["KaasCluster", CLUSTER],
  ])("is a service: %s", async (kind, live) => {
    const spec = { duration: "4h", maxLifetime: "8h", whenDone: "delete" };
    const run = new RunWithMachine({ kind, spec, annotations: decisionOf([[0, 4]]) });
    run.live = [live];
    const before = await run.lookFrom(0, 1);
    const conditions = conditionsOfRun(run.object, before).map((one) => ({ ...one, lastTransitionTime: "" }));
    run.object = { ...run.object, status: { conditions, ...fieldsOfRun(run.object, before) } };
    endless(run);
    expect(await follow(run, 2)).toBeNull();
    expect(run.record).toBeNull();
    expect(run.events).toEqual([expect.stringMatching(/^RunIsService: .*, after 2\.00 h, 2\.00 USD$/)]);
    expect(conditionsOfRun(run.object, null).map(({ type, status, reason }) => [type, status, reason])).toEqual(
      ["Running", "Completed", "Failed", "Overdue"].map((type) => [type, "False", "NoRun"]),
    );
    expect(fieldsOfRun(run.object, null)).toMatchObject({ endsAt: null, deletesAt: null, run: null });
    run.live = [];
    expect(await follow(run, 20)).toBeNull();
  });

  it("starts a machine first that a pause has stopped", async () => {
    const spec = { duration: "3h", whenDone: "delete", interruptible: { minRun: "10m", resumeCost: "10m" } };
    const run = new RunWithMachine({
      spec,
      annotations: decisionOf([
        [0, 1],
        [6, 8.2],
      ]),
    });
    run.live = [machine("RUNNING")];
    await run.lookFrom(0, 1);
    run.live = [machine("TERMINATED")];
    await run.lookFrom(1.1, 2);
    endless(run);
    const started = await run.look(2.1);
    expect([started.step.do, powerOf(started)]).toEqual(["run", { powerState: "on" }]);
    run.live = [machine("RUNNING")];
    await run.lookFrom(2.2, 2.25);
    expect(run.record?.end).toBeNull();
    for (let at = 2.28; at < 3 && run.record !== null; at += 0.02) await follow(run, at);
    expect(run.record).toBeNull();
  });

  it("that is over stays over", async () => {
    const run = new RunWithMachine({ spec: { duration: "1h", whenDone: "stop" }, annotations: decisionOf([[0, 1]]) });
    run.live = [machine("RUNNING")];
    await run.lookFrom(0, 1.1);
    endless(run);
    expect((await follow(run, 2))?.record.end).toMatchObject({ by: "time" });
  });
});
