// A pause that deletes the machine, whose deletion hangs at the provider: the machine is told and counted until it is gone.
import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../src/composition/types.ts";
import { liveNow } from "../../../../src/composition/run/machine/machines-of.ts";
import { seenMachine } from "../../../../src/composition/run/machine/machine-now.ts";
import { noteUse } from "../../../../src/composition/run/follow/note-use.ts";
import { runConditions } from "../../../../src/composition/run/follow/run-status.ts";
import { withStillOn } from "../../../../src/composition/run/follow/still-on.ts";
import type { FollowedRun } from "../../../../src/composition/run/follow/follow-run.ts";
import { runAccount } from "../../../../src/composition/run/state/run-account.ts";
import { formatTime } from "../../../../src/model/time.ts";
import {
  cnrm,
  decisionOf,
  HOUR,
  revisionOf,
  RunWithMachine,
  START,
} from "../../../support/composition/run-with-machine.ts";

const AZURE: Resource = {
  ...{
    apiVersion: "compute.azure.com/v1api20240301",
    kind: "VirtualMachine",
    metadata: { name: "job", uid: "m" },
    spec: {},
  },
  status: { vmId: "1", conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(START) }] },
};
const GOOGLE = cnrm("ComputeInstance", null, { status: { currentStatus: "RUNNING", instanceId: "1" } });
const DISK = cnrm("ComputeDisk", null);

const going = (machine: Resource): Resource => ({
  ...machine,
  metadata: { ...machine.metadata, deletionTimestamp: formatTime(START + HOUR) },
});

/** A run that is paused by deleting its machine in its second to fifth hour. */
class PausedRun extends RunWithMachine {
  constructor(spec: Record<string, unknown> = {}) {
    const interruptible = { minRun: "10m", resumeCost: "10m", by: "recreate" };
    super({
      spec: { duration: "6h", whenDone: "delete", interruptible, ...spec },
      annotations: decisionOf([
        [0, 1],
        [5, 7.2],
      ]),
    });
  }

  /** Reconciles in the pause: the release has only a disk, and its former revision had the machine. */
  async paused(hours: number, former: Resource | null, at: Resource): Promise<FollowedRun> {
    this.now = START + hours * HOUR;
    this.live = former === null ? [DISK] : [DISK, former];
    this.revisions = [revisionOf("deployed", [DISK]), revisionOf("superseded", [DISK, at])];
    this.context.releases.set("u", { objects: [0] } as never);
    const followed = await this.follow();
    const live = await liveNow(this.context, followed.record);
    const run = withStillOn(followed, { object: this.object, live, nowSeconds: this.now }) as FollowedRun;
    const conditions = runConditions(run.record, run.step, run.now);
    const before = (this.object.status?.["conditions"] ?? []) as { type: string; status: string }[];
    const stayed = (one: { type: string; status: string }) =>
      before.find(({ type, status }) => type === one.type && status === one.status) ?? {
        ...one,
        lastTransitionTime: formatTime(this.now),
      };
    this.object = { ...this.object, status: { conditions: conditions.map(stayed) } };
    await noteUse(this.context, run, seenMachine(live, this.ready()));
    return run;
  }
}

describe("a pause whose deletion hangs at the provider", () => {
  it.each([
    ["RUNNING", GOOGLE],
    ["there", AZURE],
  ])("is told with the machine that is %s, and its hours are counted until it is gone", async (word, machine) => {
    const run = new PausedRun();
    run.live = [machine];
    await run.lookFrom(0, 0.98);
    await run.paused(1, going(machine), machine);
    for (let minutes = 5; minutes < 120; minutes += 5) await run.paused(1 + minutes / 60, going(machine), machine);
    const late = await run.paused(3, going(machine), machine);
    expect(run.condition(late, "Running")).toMatchObject({ status: "True", reason: "PauseFailed" });
    expect(run.condition(late, "Running")?.message).toContain(`is still ${word} at its provider`);
    expect(runAccount(late.record, run.now).hours).toBeCloseTo(3, 1);
    const gone = await run.paused(3.1, null, machine);
    const after = await run.paused(4.5, null, machine);
    expect(run.condition(gone, "Running")).toMatchObject({ status: "False", reason: "Paused" });
    expect(runAccount(after.record, run.now).hours).toBeCloseTo(3.1, 1);
  });

  it("is over without a machine that would be created again, when its completion is reported meanwhile", async () => {
    const run = new PausedRun({ whenDone: "stop" });
    run.live = [GOOGLE];
    await run.lookFrom(0, 0.98);
    await run.paused(1, going(GOOGLE), GOOGLE);
    const { annotations = {} } = run.object.metadata;
    run.object.metadata.annotations = { ...annotations, "landfall.dev/completed": "succeeded" };
    const over = await run.paused(2, going(GOOGLE), GOOGLE);
    expect(over).toMatchObject({ step: { do: "stop" }, omitsMachine: true });
    expect(runAccount(over.record, START + 2 * HOUR).hours).toBeCloseTo(2, 1);
  });
});
