// A machine at Azure that is there, and that its operator calls not ready: it has no power state, so that only its id shows it.
import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import { powerOf } from "../../../../src/composition/report/run-values.ts";
import { startRun } from "../../../../src/composition/run/follow/follow-run.ts";
import { machineNow } from "../../../../src/composition/run/machine/machine-now.ts";
import { runAccount } from "../../../../src/composition/run/state/run-account.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { trusted } from "../../../../src/model/decision-annotation/trusted.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { decisionOf, HOUR, revisionOf, RunWithMachine, START } from "../../../support/composition/run-with-machine.ts";

/** One whose operator says this. */
const azure = (reason: string, more: { severity?: string; status?: object; spec?: object } = {}): Resource => ({
  ...{ apiVersion: "compute.azure.com/v1api20220301", kind: "VirtualMachine", metadata: { name: "job", uid: "m" } },
  spec: { ...more.spec },
  status: {
    ...{ vmId: "v-1", ...more.status },
    conditions: [{ type: "Ready", status: "False", severity: more.severity ?? "Warning", reason, message: "" }],
  },
});

const LOGIN = azure("AADSTS7000222");
const BOOT = azure("OSProvisioningTimedOut");

describe("a machine at Azure that is there and not ready", () => {
  it.each([
    ["whose operator cannot log in", LOGIN, null],
    ["whose operator asks too often", azure("TooManyRequests"), null],
    ["that did not boot in time", BOOT, null],
    ["that its operator gave up", azure("OSProvisioningTimedOut", { severity: "Error" }), null],
    ["that could not be allocated", azure("AllocationFailed"), "refused"],
    ["that was never made", azure("OSProvisioningTimedOut", { status: { vmId: null } }), "refused"],
  ])("is refused only for its creation: one %s", (_what, machine, expected) => {
    expect(machineNow([machine])).toBe(expected);
  });
});

/** A service since 100 h that gets this end, while its machine is so. */
async function ended(spec: object, machine: Resource): Promise<RunWithMachine> {
  const info = { first_deployed: formatTime(START - 100 * HOUR) };
  const revision = revisionOf("deployed", [machine]);
  const run = new RunWithMachine({
    spec: { provider: "azure", ...spec },
    annotations: decisionOf([[-100, 50]]),
    revisions: [{ ...revision, release: { ...revision.release, info } }],
  });
  run.record = null;
  run.live = [machine];
  run.object = { ...run.object, status: { managed: [{}] } };
  run.context.releases.set("u", { objects: [0] } as never);
  await startRun(run.context, { key: "u", path: apiPath`/apis/x`, object: trusted(null, run.object) });
  await run.lookFrom(0.05, 0.9);
  return run;
}

describe("a service at Azure that gets an end while its machine is not ready", () => {
  const machines: [string, Resource][] = [
    ["a login that expired", LOGIN],
    ["a size that is refused", azure("AllocationFailed")],
    ["too many requests", azure("TooManyRequests")],
  ];

  it.each(machines)("keeps its machine and its hours: %s", async (_what, machine) => {
    const run = await ended({ duration: "150h", whenDone: "keep" }, machine);
    expect(run.record).toMatchObject({ startedAt: START - 100 * HOUR, firstStartedAt: START - 100 * HOUR });
    expect(run.record).not.toHaveProperty("refused");
    run.object.metadata.annotations = { ...run.object.metadata.annotations, [ANNOTATION.completed]: "succeeded" };
    const over = await run.look(1);
    expect([over.step.do, powerOf(over).powerState, over.omitsMachine]).toEqual(["rest", undefined, undefined]);
    expect(runAccount(over.record, run.now).hours).toBeCloseTo(101, 1);
  });

  it.each(machines)("has its grace: %s", async (_what, machine) => {
    const run = await ended({ duration: "150h", whenDone: "delete" }, machine);
    const over = await run.look(50.1);
    expect([over.step.do, powerOf(over).powerState]).toEqual(["rest", undefined]);
    expect(over.step.deletesAt).toBe(START + 50.25 * HOUR);
  });
});

describe("a first run whose machine at Azure is not seen to boot", () => {
  /** The run of six hours whose machine is there from `made` on. */
  async function lived(made: number): Promise<RunWithMachine> {
    const spec = { provider: "azure", duration: "6h", whenDone: "delete", keepFailed: "24h" };
    const run = new RunWithMachine({ spec, record: { lateAfter: 600 }, revisions: [revisionOf("deployed", [BOOT])] });
    run.live = [azure("Reconciling", { severity: "Info", status: { vmId: null } })];
    await run.lookFrom(0, made);
    run.live = [{ ...BOOT, status: { ...BOOT.status, timeCreated: formatTime(START + made * HOUR) } }];
    await run.lookFrom(made + 0.01, made + 0.2);
    return run;
  }

  it.each([
    ["in time", 0.1, 0],
    ["late", 0.7, 0.7],
  ])("works since it is there, and keeps it for the grace: one that came %s", async (_what, made, began) => {
    const run = await lived(made);
    expect(((run.record?.startedAt ?? 0) - START) / HOUR).toBeCloseTo(began, 2);
    const over = await run.look(began + 6.1);
    expect(over.record.end).toMatchObject({ at: START + (began + 6) * HOUR, by: "time" });
    expect([over.step.do, powerOf(over).powerState]).toEqual(["rest", undefined]);
    expect(over.step.deletesAt).toBe(START + (began + 6.25) * HOUR);
  });

  it("is not deleted before the grace if it came unseen", async () => {
    const spec = { provider: "azure", duration: "6h", whenDone: "delete" };
    const record = { refused: true } as const;
    const run = new RunWithMachine({ spec, record, revisions: [revisionOf("deployed", [BOOT])] });
    run.live = [BOOT];
    const over = await run.look(6.1);
    expect([over.step.do, powerOf(over).powerState]).toEqual(["rest", undefined]);
  });
});
