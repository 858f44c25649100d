import { describe, expect, it } from "vitest";
import { stopRemedies } from "../../../../src/admission/decide/stop-remedy.ts";
import type { Denial } from "../../../../src/model/decision.ts";

const denied = (code: string, field: string): Denial => ({
  code,
  message: "",
  field,
  actual: null,
  allowed: null,
  remedy: "as it was",
});

describe("the remedy of a run that nothing can stop", () => {
  it.each([
    [{ whenDone: "stop" }, "spec.whenDone", "or write whenDone: delete or keep"],
    [{ whenDone: "stop", interruptible: { by: "recreate" } }, "spec.whenDone", "or write whenDone: delete or keep"],
    [
      { whenDone: "stop", interruptible: {} },
      "spec.whenDone",
      "or write whenDone: delete or keep, and with it interruptible.by: recreate, which deletes the machine in each pause, or no interruptible",
    ],
    [
      { interruptible: {} },
      "spec.interruptible",
      "or write interruptible.by: recreate, which deletes the machine in each pause, or omit interruptible",
    ],
  ])("of %j lists only what passes", (spec, field, text) => {
    const [one] = stopRemedies(spec, [denied("POL_RUN_STOP", field)]);
    expect(one?.remedy).toBe(`omit provider, name one that can, ${text}`);
  });

  it("of two faults is the change that mends both", () => {
    const both = [denied("POL_RUN_STOP", "spec.whenDone"), denied("POL_SPOT_STOP", "spec.whenDone")];
    expect(stopRemedies({ whenDone: "stop" }, both).map(({ remedy }) => remedy)).toEqual(
      Array.from({ length: 2 }, () => "write whenDone: delete or keep"),
    );
  });

  it("of other denials stays", () => {
    const others = [
      denied("POL_QUOTA", "spec.cpu"),
      denied("POL_SPOT_STOP", "spec.whenDone"),
      denied("POL_RUN_STOP", "spec.interruptible.by"),
    ];
    expect(stopRemedies({}, others)).toEqual(others);
  });
});
