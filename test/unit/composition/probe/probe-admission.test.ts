import { pino } from "pino";
import { expect, it } from "vitest";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import { probeAdmission } from "../../../../src/composition/probe/probe-admission.ts";
import { NOW } from "../../../support/admission.ts";

/** The result of a probe at a cluster that serves these versions of VmTemplate; null for none. */
async function probeAt(served: readonly string[]): Promise<string | null> {
  const asked: string[] = [];
  const create = (path: string, body: { apiVersion: string }) => {
    asked.push(path);
    if (!served.some((version) => path.includes(`/${version}/`) && body.apiVersion.endsWith(version)))
      return Promise.reject(new ApiError(404, { action: "POST", detail: "the server could not find it" }));
    return Promise.resolve({ metadata: { annotations: { "landfall.dev/decision": "{}" } } });
  };
  let result: string | null = null;
  const stop = probeAdmission({
    client: { create } as unknown as KubeClient,
    ...{ systemNamespace: "landfall-system", probeSeconds: 1e6, log: pino({ level: "silent" }), nowSeconds: () => NOW },
    metrics: { probed: (found) => void (result = found) },
  });
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  await stop();
  return result;
}

it.each([
  ["decided", ["v0-2-0", "v0-1-0"]],
  ["decided", ["v0-1-0"]],
  [null, []],
])("a probe gets %s where the versions %j are served", async (result, served) => {
  expect(await probeAt(served)).toBe(result);
});
