import { describe, expect, it } from "vitest";
import type { CompositionContext } from "../../../../src/composition/context.ts";
import { noteReplaced } from "../../../../src/composition/look/replaced-machine.ts";
import type { MachineStatus } from "../../../../src/composition/status/machine-status.ts";
import type { Resource } from "../../../../src/composition/types.ts";

const object = (id: string | null): Resource => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: { name: "web" } },
  status: id === null ? {} : { machine: { id } },
});
const machine = (id: string | null): MachineStatus => ({
  ...{ id, resource: null, publicAddresses: null, privateAddresses: null, disks: null },
});

function noted(before: string | null, now: MachineStatus | null, hasRun = false) {
  const events: { type: string; reason: string; message: string }[] = [];
  const context = {
    record: (_object: unknown, event: (typeof events)[number]) => events.push(event),
  } as unknown as CompositionContext;
  return { shown: noteReplaced(context, object(before), { machine: now, hasRun }), events };
}

describe("a machine in whose place its operator made another one", () => {
  it("is told by a Warning, and its id stays in the status", () => {
    const { shown, events } = noted("i-1", machine("i-2"));
    expect(shown).toEqual({ ...machine("i-2"), previousId: "i-1" });
    expect(events).toEqual([
      {
        ...{ type: "Warning", reason: "MachineReplaced" },
        message: expect.stringMatching(
          /^i-1 is gone, and .* made i-2 in its place; .* \[REL_MACHINE_REPLACED\]$/,
        ) as string,
      },
    ]);
  });

  it.each<[string, string | null, MachineStatus | null, boolean]>([
    ["the same", "i-1", machine("i-1"), false],
    ["the first", null, machine("i-1"), false],
    ["one that is not there yet", "i-1", machine(null), false],
    ["none", "i-1", null, false],
    ["that of a run, whose own conditions say it", "i-1", machine("i-2"), true],
    ["one whose status holds no id", "<b>", machine("i-2"), false],
  ])("is not told for %s", (_, before, now, hasRun) => {
    expect(noted(before, now, hasRun)).toEqual({ shown: now, events: [] });
  });
});
