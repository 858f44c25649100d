import { expect, it } from "vitest";
import type { TrustedComposition } from "../../../../src/composition/context/composition-context.ts";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import { receiveReport } from "../../../../src/composition/report/receive-report.ts";
import { runValues } from "../../../../src/composition/report/run-values.ts";
import { type FollowedRun, startRun } from "../../../../src/composition/run/follow/follow-run.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import { trusted } from "../../../../src/model/decision-annotation/trusted.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
import { HOUR, objectOf, oneRun, recordOf, START } from "../../../support/composition/one-run.ts";

const ring = ringOf(Buffer.alloc(32, 7));
const STOPPED = { whenDone: "stop", provider: "elemento" };
const run = (id: string) => ({ [ANNOTATION.run]: id });
const reportUrl = "https://landfall:8444";

/** The token in the user data of the machine of this run. */
const tokenOf = (object: Resource, followed: FollowedRun | null): string =>
  runValues({ keys: () => ring, reportUrl }, object, followed).report?.token ?? "";

/** A controller with a run that is over, and what it answers to a report. */
function world(given: Partial<RunRecord>) {
  const one = oneRun({
    record: recordOf(STOPPED, { end: { at: START + HOUR, by: "machine", outcome: "succeeded" }, ...given }),
  });
  const report = (token: string): Promise<unknown> =>
    receiveReport(
      { runs: one.context.runs, ring },
      { uid: "u", authorization: `Bearer ${token}`, body: '{"exitCode": 0}' },
    ).then(
      () => "taken",
      (thrown: unknown) => (thrown as { code: string }).code,
    );
  return { ...one, report };
}

it.each<[string, Partial<RunRecord>]>([
  ["a record of this version", { reporter: "lot" }],
  ["one of an earlier version", { run: "1" }],
])("a machine ends a further run on it with the token that it was created with: %s", async (_what, given) => {
  const { known, follow, report } = world(given);
  const first = objectOf(STOPPED, given.run === undefined ? {} : run(given.run));
  const token = tokenOf(first, await follow(first, 1.5));
  expect(await report(token)).toBe("RUN_REPORT_REPEATED");
  const next = objectOf(STOPPED, run("2"));
  const followed = await follow(next, 2);
  expect(followed?.record).toMatchObject({ run: "2", end: null });
  expect(tokenOf(next, followed)).toBe(token);
  expect(await report(token)).toBe("taken");
  expect((await follow(next, 2.1))?.record.end).toMatchObject({ by: "machine", outcome: "succeeded" });
  expect(known.record?.run).toBe("2");
});

it("the token of a machine that is gone is not valid again, also if its run is asked for again", async () => {
  const { known, context, follow, report } = world({ run: "1", reporter: "lot", removedAt: START + 2 * HOUR });
  const object = objectOf({ ...STOPPED, duration: "1h" }, run("1"));
  const token = tokenOf(object, await follow(object, 3));
  expect(await follow(objectOf(STOPPED, run("2")), 4)).toBeNull();
  context.runs.start = (record, since) =>
    Promise.resolve((known.record = { ...record, startedAt: since ?? known.now }));
  const begun: TrustedComposition = { key: "k", path: apiPath`/apis/x`, object: trusted(null, object) };
  const again = await startRun(context, begun);
  expect(again?.record).toMatchObject({ run: "1", end: null });
  expect(await report(token)).toBe("RUN_REPORT_TOKEN");
  expect(await report(tokenOf(object, again))).toBe("taken");
});
