// A run that is over without a machine: none starts for it any more.
import { describe, expect, it } from "vitest";
import { powerOf } from "../../../../src/composition/report/run-values.ts";
import { isRunOver } from "../../../../src/composition/run/end/end-run.ts";
import type { FollowedRun } from "../../../../src/composition/run/follow/follow-run.ts";
import { firstStart } from "../../../../src/composition/run/follow/first-start.ts";
import { whileStopped } from "../../../../src/composition/run/follow/run-status.ts";
import { nextRunStep } from "../../../../src/composition/run/state/next-run-step.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { NEW_METER, type RunRecord } from "../../../../src/model/runs/run-record.ts";
import {
  google,
  HOUR,
  objectOf,
  oneRun,
  type OneRun,
  pausing,
  recordOf,
  type Spec,
  START,
} from "../../../support/composition/one-run.ts";

const OFF = { hours: 1, usd: 1, at: START + HOUR, on: false };
const failed: Partial<RunRecord> = { end: { at: START + 2 * HOUR, by: "eviction", outcome: "failed" } };
const evicted = { ...failed, meter: OFF, evictions: { count: 1, waiting: true } };
const refused = { ...failed, refused: true } as const;
const lost = { ...failed, meter: OFF, lostSeconds: 600 };
const google_ = (spec: Spec): Spec => ({ duration: "2h", provider: "gcp", ...spec });
const aws = (spec: Spec): Spec => google_({ provider: "aws", ...spec });

/** A machine of AWS in this state. */
const instance = (name: string): Resource => ({
  ...{ apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "Instance", metadata: { uid: "m" }, spec: {} },
  status: { instanceID: "i-1", state: { name } },
});

/** One of Azure, whose operator does not report its power. */
const azure: Resource = {
  ...{ apiVersion: "compute.azure.com/v1api20220301", kind: "VirtualMachine", metadata: { uid: "m" }, spec: {} },
  status: { vmId: "v-1" },
};

const actionOf = (run: FollowedRun | null) => run && [run.step.do, isRunOver(run), powerOf(run).powerState];

describe("a run that is over without a machine", () => {
  it.each<[string, Spec, Partial<RunRecord>, string]>([
    [
      "an evicted machine of Google stays off, with its disk",
      google_({ whenDone: "delete", keepFailed: "24h" }),
      evicted,
      "off",
    ],
    ["one of AWS is not created again", aws({ whenDone: "delete", keepFailed: "24h" }), evicted, "deleted"],
    [
      "one that its provider refused is not created",
      google_({ whenDone: "delete", keepFailed: "24h" }),
      refused,
      "deleted",
    ],
    ["nor if it is to be kept", google_({ whenDone: "keep", maxLifetime: "200h" }), refused, "deleted"],
    ["nor if it is to be stopped", google_({ whenDone: "stop" }), refused, "deleted"],
    ["nor in the grace", google_({ whenDone: "delete", keepFailed: "24h" }), lost, "off"],
    ["one that is to be retained stays off", google_({ whenDone: "keep", deletionPolicy: "retain" }), refused, "off"],
  ])("%s", async (_what, spec, record, power) => {
    const machine = spec["provider"] === "aws" ? instance("terminated") : google("TERMINATED");
    const { follow } = oneRun({ record: recordOf(spec, record), machine });
    const run = await follow(objectOf(spec), 2.1);
    expect(actionOf(run)).toEqual(["stop", false, power]);
    expect(run?.step.overdueSince).toBeNull();
  });

  it.each<[string, Spec, Partial<RunRecord>, Partial<OneRun>]>([
    ["nothing was installed for it", google_({ whenDone: "stop" }), refused, { revision: null }],
    ["nothing could be installed until its end", google_({ whenDone: "stop" }), {}, { revision: null }],
    ["its installation failed", aws({ whenDone: "delete", keepFailed: "24h" }), refused, { revision: "failed" }],
    ["its resources are gone", google_({ whenDone: "delete" }), { ...evicted, removedAt: START + 2 * HOUR }, {}],
    ["its machine shut itself down", google_({ whenDone: "keep" }), { ...failed, wasReady: true }, {}],
  ])("changes nothing if %s", async (_what, spec, record, known) => {
    const { follow } = oneRun({ record: recordOf(spec, record), ...known });
    expect(actionOf(await follow(objectOf(spec), 2.1))?.slice(0, 2)).toEqual(["rest", true]);
  });

  it("is deleted when that is due, and a cluster is left as it is", async () => {
    const spec = google_({ whenDone: "delete", keepFailed: "24h" });
    const { follow } = oneRun({ record: recordOf(spec, evicted), machine: google("TERMINATED") });
    expect((await follow(objectOf(spec), 26.1))?.step.do).toBe("remove");
    const cluster = oneRun({ record: recordOf(spec, evicted) });
    expect((await cluster.follow({ ...objectOf(spec), kind: "KaasCluster" }, 2.1))?.step.do).toBe("rest");
  });

  it.each([
    ["that deleted it", OFF],
    ["whose use was not noted", NEW_METER],
  ])("creates none for an end that was reported in a pause %s", async (_what, meter) => {
    const spec = google_({ duration: "3h", whenDone: "stop", interruptible: { by: "recreate" } });
    const parts = [
      [0, 1],
      [5, 7.2],
    ] as const;
    const plan = { pauses: [{ from: START + HOUR, to: START + 5 * HOUR }], resume: 600, recreates: true as const };
    const record = recordOf(spec, { meter, plan: { ...recordOf(spec).plan, ...plan } });
    const { follow } = oneRun({ record });
    expect(actionOf(await follow(pausing(spec, parts), 2))).toEqual(["pause", false, "deleted"]);
    const reported = pausing(spec, parts, { [ANNOTATION.completed]: "succeeded" });
    expect(actionOf(await follow(reported, 2.1))).toEqual(["stop", false, "deleted"]);
  });

  it.each<[string, Spec, Partial<RunRecord>, Resource | null]>([
    ["of AWS that is only off", aws({ whenDone: "keep" }), lost, instance("stopped")],
    ["of AWS that is being stopped", aws({ whenDone: "keep" }), lost, instance("stopping")],
    ["of AWS that is evicted and only off", aws({ keepFailed: "24h" }), evicted, instance("stopped")],
    ["of Azure that could not be changed", google_({ provider: "azure" }), lost, azure],
  ])("leaves one %s as it is: its operator cannot stop it", async (_what, spec, record, machine) => {
    const { follow } = oneRun({ record: recordOf(spec, record), machine });
    expect(actionOf(await follow(objectOf(spec), 2.1))?.slice(0, 2)).toEqual(["rest", true]);
  });

  it("keeps one of an earlier run off that could not be started", async () => {
    const spec = google_({ whenDone: "stop" });
    const record = recordOf(spec, { ...refused, firstStartedAt: START - HOUR });
    const { follow } = oneRun({ record, machine: google("TERMINATED") });
    expect(actionOf(await follow(objectOf(spec), 2.1))).toEqual(["stop", false, "off"]);
  });

  it.each<[string, Spec, Partial<RunRecord>, Resource | null]>([
    ["of AWS that is terminated", aws({}), lost, instance("terminated")],
    ["of AWS that was never made", aws({}), refused, null],
    ["of Azure that is evicted", google_({ provider: "azure" }), evicted, azure],
  ])("lets nothing create one %s", async (_what, spec, record, machine) => {
    const { follow } = oneRun({ record: recordOf(spec, record), machine });
    expect(actionOf(await follow(objectOf(spec), 2.1))).toEqual(["stop", false, "deleted"]);
  });

  it("stops one that is there as before", async () => {
    const spec = google_({ whenDone: "stop" });
    const { follow } = oneRun({ record: recordOf(spec, { wasReady: true }), machine: google("RUNNING") });
    expect(actionOf(await follow(objectOf(spec), 2.1))).toEqual(["stop", false, "off"]);
  });

  it("says so, and until when the rest is kept", () => {
    const spec = google_({ whenDone: "delete", keepFailed: "24h" });
    const record = recordOf(spec, evicted);
    const step = { ...nextRunStep(record.plan, record, null, START + 3 * HOUR), do: "stop" as const };
    const ready = whileStopped({ type: "Ready", status: "True", reason: "Available", message: "" }, { record, step });
    expect(ready).toMatchObject({ status: "False", reason: "Failed" });
    expect(ready.message).toContain("no machine starts for it any more, and its resources are deleted at 2027-01-16T");
  });

  it("gives another run on it a whole limit", () => {
    expect(firstStart(recordOf(google_({ whenDone: "stop" }), refused), [], START + 9 * HOUR)).toBe(START + 9 * HOUR);
    expect(firstStart(recordOf(google_({ whenDone: "keep" }), refused), [], START + 9 * HOUR)).toBe(START);
  });
});
