// What a user is warned of once: the status of the object says what was told before.
import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import { reportPause } from "../../../../src/composition/reconcile/report-pause.ts";
import { tellTurned } from "../../../../src/composition/run/follow/tell-turned.ts";
import type { ConditionInput, Resource } from "../../../../src/composition/types.ts";
import { cnrm, RunWithMachine, STOCKOUT } from "../../../support/composition/run-with-machine.ts";

const object = (conditions: ConditionInput[]): Resource => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: {} },
  status: { conditions },
});
const running = (reason: string): ConditionInput => ({ type: "Running", status: "False", reason, message: reason });
const over = (type: string): ConditionInput => ({ type, status: "True", reason: "NoMachine", message: "" });

function told(before: ConditionInput[], now: ConditionInput[]): string[] {
  const events: string[] = [];
  tellTurned({ record: (_object, { reason }) => void events.push(reason) }, object(before), now);
  return events;
}

describe("a run without a machine", () => {
  it.each<[string, ConditionInput[], ConditionInput[], string[]]>([
    ["that was told to start", [running("Starting")], [running("NoMachine")], ["NoMachine"]],
    ["of which nothing was told", [], [running("NoMachine")], ["NoMachine"]],
    ["that was told", [running("NoMachine")], [running("NoMachine")], []],
    ["that is still to start", [], [running("Starting")], []],
    ["that has failed", [], [running("NoMachine"), over("Failed")], []],
    ["whose completion was reported", [], [running("NoMachine"), over("Completed")], []],
  ])("is told: %s", (_what, before, now, events) => {
    expect(told(before, now)).toEqual(events);
  });

  it("is told once while its user pauses the object", async () => {
    const annotations = { "krateo.io/paused": "true" };
    const world = new RunWithMachine({ spec: { duration: "2h" }, annotations, record: { refused: true } });
    world.live = [cnrm("ComputeInstance", STOCKOUT)];
    const report = async (seen: Resource): Promise<void> =>
      void (await reportPause(world.context, { key: "u", path: apiPath`/apis/x`, object: seen }, await world.follow()));
    await report(world.object);
    await report({ ...world.object, status: { conditions: [running("NoMachine")] } });
    expect(world.events).toEqual([expect.stringMatching(/^NoMachine: its machine is not there yet/)]);
  });
});

it("tells that a run is overdue once", () => {
  const overdue: ConditionInput = { type: "Overdue", status: "True", reason: "NothingEndsIt", message: "" };
  expect(told([], [overdue])).toEqual(["Overdue"]);
  expect(told([overdue], [overdue])).toEqual([]);
});
