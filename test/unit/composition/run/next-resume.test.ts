// Another run on a machine that is kept has pauses and resumes of its own decision.
import { expect, it } from "vitest";
import { formatTime } from "../../../../src/model/time.ts";
import { cnrm, decisionOf, HOUR, RunWithMachine, START } from "../../../support/composition/run-with-machine.ts";

const machine = (currentStatus: string) =>
  cnrm("ComputeInstance", null, { status: { currentStatus, instanceId: "1" } });

/** A decision by which the run works in these hours, and each resume takes as long as this boot. */
function decided(parts: [number, number][], seconds: number): Record<string, string> {
  const { placement } = JSON.parse(decisionOf(parts)["landfall.dev/decision"] ?? "") as { placement: object };
  return { "landfall.dev/decision": JSON.stringify({ placement: { ...placement, boot: { seconds } } }) };
}

it("counts the resume that was decided for it, not that of the last run", async () => {
  const deadline = formatTime(START + 100 * HOUR);
  const spec = { provider: "gcp", duration: "3h", whenDone: "stop", deadline, interruptible: { minRun: "1h" } };
  const first = decided(
    [
      [0, 1],
      [3, 5 + 1 / 6],
    ],
    90,
  );
  const run = new RunWithMachine({ spec, annotations: first });
  const annotate = (annotations: Record<string, string>): void => {
    run.object = { ...run.object, metadata: { ...run.object.metadata, annotations } };
  };
  run.live = [machine("RUNNING")];
  await run.lookFrom(0.01, 0.5);
  const before = run.record?.plan.resume ?? 0;
  annotate({ ...first, "landfall.dev/completed": "succeeded" });
  await run.look(0.6);
  run.live = [machine("TERMINATED")];
  await run.look(0.8);
  const second = decided(
    [
      [10, 11],
      [13, 15.5],
    ],
    1800,
  );
  annotate({ ...second, "landfall.dev/run": "2" });
  await run.look(10);
  const begun = await run.look(10.01);
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(1800);
  expect(begun.record.plan).toMatchObject({
    resume: 1800,
    pauses: [{ from: START + 11 * HOUR, to: START + 13 * HOUR }],
  });
  expect(begun.step.endsAt).toBe(START + 15.5 * HOUR);
});
