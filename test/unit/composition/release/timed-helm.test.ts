import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { HelmWorker, UninstallCall } from "../../../../src/composition/helm/calls.ts";
import type { Helm } from "../../../../src/composition/helm/run-helm.ts";
import { timedHelm } from "../../../../src/composition/release/timed-helm.ts";

const CALL: UninstallCall = { verb: "uninstall", namespace: "demo", release: "web-1" };
const SLOT_MS = 200;
const HELM_MS = 40;

/** A helm whose calls take `HELM_MS`, in slots that come after `SLOT_MS`. */
function slowSlots() {
  const [lines, counted] = [[] as Record<string, unknown>[], [] as { seconds: number; waitedSeconds: number }[]];
  const perform: HelmWorker["perform"] = async () => {
    await sleep(HELM_MS);
    return { code: 0, by: "worker", stdout: "", stderr: "" };
  };
  const process: HelmWorker = { perform, reset: () => undefined, stop: () => Promise.resolve() };
  const helm = { worker: { process, access: { server: "", token: "" } } } as unknown as Helm;
  const context = {
    withHelm: async <T>(_slot: object, work: (one: Helm) => Promise<T>): Promise<T> => {
      await sleep(SLOT_MS);
      return work(helm);
    },
    log: { info: (fields: Record<string, unknown>) => void lines.push(fields) },
    metrics: { helm: (call: (typeof counted)[number]) => void counted.push(call) },
  };
  return { context: context as unknown as Parameters<typeof timedHelm>[0], lines, counted };
}

it("logs and counts how long helm took, apart from the wait for a slot", async () => {
  const { context, lines, counted } = slowSlots();
  expect(await timedHelm(context, CALL)).toMatchObject({ code: 0 });
  const [line = {}] = lines;
  expect(line).toMatchObject({ release: "web-1", namespace: "demo", verb: "uninstall", code: 0, by: "worker" });
  expect(Number(line["waitedMs"])).toBeGreaterThanOrEqual(SLOT_MS - 5);
  expect(Number(line["ms"])).toBeGreaterThanOrEqual(HELM_MS - 5);
  // With the wait it would be more than both.
  expect(Number(line["ms"])).toBeLessThan(SLOT_MS);
  expect(counted).toEqual([
    expect.objectContaining({
      verb: "uninstall",
      isOk: true,
      seconds: Number(line["ms"]) / 1000,
      waitedSeconds: Number(line["waitedMs"]) / 1000,
    }),
  ]);
});
