// While the controller's clock and the API server's differ, no run begins (RUN_CLOCKS), and what is recorded ends in time all the same.
import { describe, expect, it } from "vitest";
import { ANNOTATION } from "../../../../src/model/names.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
import { cnrm, HOUR, revisionOf, RunWithMachine, START } from "../../../support/composition/run-with-machine.ts";

const on = cnrm("ComputeInstance", null, { status: { currentStatus: "RUNNING", instanceId: "1" } });

/** A run whose controller's clock is ten minutes ahead. */
function askew(
  spec: Record<string, unknown>,
  record: Partial<RunRecord>,
  annotations: Record<string, string> = {},
): RunWithMachine {
  const revisions = [revisionOf("deployed", [on])];
  const run = new RunWithMachine({ spec: { provider: "gcp", ...spec }, record, annotations, revisions });
  run.live = [on];
  run.context.nowSeconds = () => run.now + 600;
  return run;
}

const at = (run: RunWithMachine, hours: number): Promise<unknown> => {
  run.now = START + hours * HOUR;
  return run.follow().then(
    ({ step, record }) => [step.do, record.run, record.end?.by],
    (thrown: unknown) => (thrown as { code: string }).code,
  );
};

describe("while the clocks differ", () => {
  it.each(["keep", "stop"])(
    "another run does not begin, and the last one is deleted at its limit: whenDone: %s",
    async (whenDone) => {
      const end = { at: START + HOUR, by: "annotation", outcome: "succeeded" } as const;
      const spec = { duration: "1h", maxLifetime: "4h", whenDone };
      const run = askew(spec, { wasReady: true, end }, { [ANNOTATION.run]: "2" });
      if (whenDone === "stop") run.live = [cnrm("ComputeInstance", null, { status: { currentStatus: "TERMINATED" } })];
      expect(await at(run, 2)).toBe("RUN_CLOCKS");
      expect(await at(run, 3.9)).toBe("RUN_CLOCKS");
      // What is stopped is kept.
      expect(await at(run, 4.1)).toEqual(whenDone === "keep" ? ["remove", "", "annotation"] : "RUN_CLOCKS");
      expect(run.record).toMatchObject({ run: "", end });
      expect(run.events).toEqual([]);
    },
  );

  it("deletes nothing that the object asks for with its next run", async () => {
    const end = { at: START + HOUR, by: "annotation", outcome: "succeeded" } as const;
    const run = askew({ duration: "1h", whenDone: "keep" }, { wasReady: true, end }, { [ANNOTATION.run]: "2" });
    run.object = { ...run.object, spec: { ...run.object.spec, whenDone: "delete", maxLifetime: "1h" } };
    for (const hours of [2, 3, 24]) expect(await at(run, hours)).toBe("RUN_CLOCKS");
  });

  it("a run whose refused machine came unseen does not begin, and ends at its limit", async () => {
    const run = askew({ duration: "1h", maxLifetime: "2h", whenDone: "delete" }, { refused: true });
    expect(await at(run, 1.5)).toBe("RUN_CLOCKS");
    expect(run.record?.refused).toBe(true);
    expect(await at(run, 2.1)).toEqual(["remove", "", "time"]);
    // It was judged in favour of the machine that is there.
    expect(run.record).toMatchObject({ end: { at: START + 2 * HOUR, outcome: "unknown" } });
  });

  it("without a limit, nothing ends it", async () => {
    const run = askew({ duration: "1h", whenDone: "delete" }, { refused: true });
    expect(await at(run, 24)).toBe("RUN_CLOCKS");
    run.context.nowSeconds = () => run.now;
    expect(await at(run, 24)).toEqual(["run", "", undefined]);
  });
});
