import type { VmQuestion } from "./vm-question.ts";
import { removeThings } from "./remove-things.ts";
import type { Step } from "./step.ts";

/** The machines first, then what they hold; what already goes is waited for. */
export function removeVm({ object, own, attempts }: VmQuestion): Step {
  return removeThings({
    retain: object.spec.deletionPolicy === "retain",
    attempts,
    stages: [
      own.vms.map(({ id, state }) => ({ what: "machine", id, going: state === "deleting" })),
      [
        ...own.volumes.map(({ id, state }) => ({ what: "volume" as const, id, going: state === "deleting" })),
        ...own.networks.map(({ id }) => ({ what: "network" as const, id, going: false })),
      ],
    ],
  });
}
