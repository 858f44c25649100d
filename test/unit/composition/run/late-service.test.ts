// A service that was installed later than its decided start, because it was held back, and that is a run from now on.
import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import { type FollowedRun, startRun } from "../../../../src/composition/run/follow/follow-run.ts";
import { trusted } from "../../../../src/model/decision-annotation/trusted.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { cnrm, decisionOf, HOUR, RunWithMachine, START } from "../../../support/composition/run-with-machine.ts";

const MACHINE = cnrm("ComputeInstance", null, { status: { currentStatus: "RUNNING", instanceId: "1" } });

/** It gets this end twelve hours after its decided start. `installed`: when helm says that it installed its release; null if it does not. */
async function ended(spec: object, installed: string | null): Promise<FollowedRun | null> {
  const annotations = { ...decisionOf([[0, 4]]), "landfall.dev/started": formatTime(START + 12 * HOUR) };
  const run = new RunWithMachine({ spec: { provider: "gcp", ...spec }, annotations });
  run.record = null;
  run.live = [MACHINE];
  run.object = { ...run.object, status: { managed: [{}] } };
  const info = installed === null ? {} : { info: { first_deployed: installed } };
  run.revisions = [{ status: "deployed", release: { config: {}, manifest: "", ...info } }];
  run.context.releases.set("u", { objects: [0] } as never);
  run.now = START + 12 * HOUR;
  return startRun(run.context, { key: "u", path: apiPath`/apis/x`, object: trusted(null, run.object) });
}

describe("a service that was installed late and gets an end", () => {
  it.each([{ duration: "4h", whenDone: "delete" }, { maxLifetime: "4h" }])(
    "has run since it was installed: %o",
    async (spec) => {
      const run = await ended(spec, formatTime(START + 10 * HOUR));
      expect(run?.record).toMatchObject({ startedAt: START + 10 * HOUR, end: null });
      expect(run?.step).toMatchObject({ do: "run", found: null, endsAt: START + 14 * HOUR });
    },
  );

  it.each<[string, string | null, number]>([
    ["by its decided start, if nothing else is recorded", null, 0],
    ["by no time before its decided start", formatTime(START - HOUR), 0],
    ["by no time that is ahead", formatTime(START + 20 * HOUR), 12],
    ["by a time with fractions, as helm writes it", formatTime(START + 9 * HOUR).replace("Z", ".123456789Z"), 9],
  ])("counts %s", async (_what, installed, hours) => {
    const run = await ended({ duration: "4h", whenDone: "delete" }, installed);
    expect(run?.record.startedAt).toBe(START + hours * HOUR);
  });
});
