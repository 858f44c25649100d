import { describe, expect, it } from "vitest";
import type { EventInput } from "../../../../src/cluster/create-event-recorder.ts";
import { Looks } from "../../../../src/composition/context/looks.ts";
import { noteReplaced, reportsMachine } from "../../../../src/composition/look/replaced-machine.ts";
import { planOf } from "../../../../src/composition/run/state/run-plan.ts";
import type { MachineStatus } from "../../../../src/composition/status/machine-status.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";

const object: Resource = {
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: { name: "web", uid: "u" } },
  // Who may write the status can write this.
  status: { machine: { id: "i-forged", previousId: "i-forged" } },
};
const machine = (id: string | null): MachineStatus => ({
  ...{ id, resource: null, publicAddresses: null, privateAddresses: null, disks: null },
});

/** What the status shows after each of these, and the Events of all. */
function noted(...seen: { machine: MachineStatus | null; isReported?: boolean }[]) {
  const events: EventInput[] = [];
  const context = { looks: new Looks(), record: (_object: unknown, event: EventInput) => void events.push(event) };
  const shown = seen.map(({ machine: now, isReported = false }) =>
    noteReplaced(context, object, { machine: now, isReported }),
  );
  return { previous: shown.map((one) => one?.previousId), events };
}

describe("a machine in whose place its operator made another one", () => {
  it("is told once by a Warning, and its id stays in the status", () => {
    const { previous, events } = noted(
      { machine: machine("i-1") },
      { machine: machine("i-2") },
      { machine: machine("i-2") },
    );
    expect(previous).toEqual([null, "i-1", "i-1"]);
    expect(events).toEqual([
      {
        ...{ type: "Warning", reason: "MachineReplaced" },
        message: expect.stringMatching(
          /^i-1 is gone, and .* made i-2 in its place; .* \[REL_MACHINE_REPLACED\]$/,
        ) as string,
      },
    ]);
  });

  it.each<[string, ...Parameters<typeof noted>]>([
    ["the same", { machine: machine("i-1") }, { machine: machine("i-1") }],
    ["the first, whatever the status says", { machine: machine("i-1") }],
    ["one that is not there yet", { machine: machine("i-1") }, { machine: machine(null) }],
    ["none", { machine: machine("i-1") }, { machine: null }],
    ["that of a run", { machine: machine("i-1"), isReported: true }, { machine: machine("i-2"), isReported: true }],
    ["the first after a run", { machine: machine("i-1"), isReported: true }, { machine: machine("i-2") }],
  ])("is not told for %s", (_, ...seen) => {
    const { previous, events } = noted(...seen);
    expect(previous.filter((id) => id !== null && id !== undefined)).toEqual([]);
    expect(events).toEqual([]);
  });
});

describe("a machine of a run in whose place its operator made another one", () => {
  const plan = planOf({ duration: "3h" }, 900);
  const record = (more: Partial<RunRecord>): RunRecord => ({
    ...{ uid: "u", kind: "VmTemplate", namespace: "demo", name: "web", run: "", plan, startedAt: 0, end: null },
    ...{ removedAt: null, wasReady: true, machine: null, reported: null, pricePerHour: 1, gramsCO2: 5, ...more },
  });

  it("is told while the run continues on demand: no condition of the run says it", () => {
    const isReported = reportsMachine(record({}));
    const { previous, events } = noted(
      { machine: machine("1"), isReported: reportsMachine(record({ wasReady: false })) },
      { machine: machine("1"), isReported },
      { machine: machine("2"), isReported },
    );
    expect(previous).toEqual([null, null, "1"]);
    expect(events.map(({ reason }) => reason)).toEqual(["MachineReplaced"]);
  });

  it.each<[string, Partial<RunRecord>]>([
    ["before it is there", { wasReady: false }],
    ["after an eviction", { evictions: { count: 1, waiting: false } }],
    ["where pauses delete it", { plan: { ...plan, recreates: true } }],
    ["at the end", { end: { at: 1, by: "provider", outcome: "unknown" } }],
  ])("is told by the run %s", (_when, more) => {
    expect(reportsMachine(record(more))).toBe(true);
  });
});
