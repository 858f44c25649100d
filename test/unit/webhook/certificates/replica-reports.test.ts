import { expect, it } from "vitest";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import { openReplicaReports, type OwnReport } from "../../../../webhook/certificates/replica-reports.ts";
import { openReplicas, REPORTS } from "../../../support/certificates/replicas.ts";

const GONE_MS = 60_000;

const own = (serves: string): OwnReport => ({
  ...{ version: "1", bundle: "", problem: "", until: "", authorities: "", sees: [], restores: 0, rotation: "" },
  serves,
});

/** Two replicas, of which `b` was not heard for long. `meanwhile` runs when `a` has read the reports. */
async function silent(meanwhile: (hear: () => Promise<unknown>) => Promise<unknown>): Promise<string[]> {
  const world = openReplicas();
  let elapsed = 0;
  let isSilent = false;
  const times = { nowMs: () => elapsed, elapsedMs: () => elapsed, goneMs: GONE_MS };
  const options = { ...times, namespace: "landfall-system" };
  const b = openReplicaReports({ ...options, client: world.client, replica: "b" });
  const get = async (path: string): Promise<unknown> => {
    const found = await world.client.get(path as never);
    if (isSilent) await meanwhile(() => b.exchange(own("another")));
    return found;
  };
  const client = { ...world.client, get } as KubeClient;
  const a = openReplicaReports({ ...options, client, replica: "a" });
  await b.exchange(own("one"));
  await a.exchange(own("one"));
  elapsed += GONE_MS;
  isSilent = true;
  await a.exchange(own("one"));
  return Object.keys(world.objects.get(REPORTS)?.data ?? {}).sort();
}

it("a replica that is not heard for long leaves the reports, and one that is heard in the same moment stays", async () => {
  expect(await silent(() => Promise.resolve())).toEqual(["a"]);
  expect(await silent((hear) => hear())).toEqual(["a", "b"]);
});
