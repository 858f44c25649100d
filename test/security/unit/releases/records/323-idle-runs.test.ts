import { expect, it } from "vitest";
import { countedSizes } from "../../../../../src/composition/record/held-sizes.ts";
import type { RecordedRevision } from "../../../../../src/composition/record/release-record.ts";
import { formerAfter, trimmed } from "../../../../../src/composition/record/running-sizes.ts";

const VM = { apiVersion: "compute.azure.com/v1api20240301", kind: "VirtualMachine", metadata: { name: "m" } };

function revision(number: number, status: string, more: { powerState?: string; names?: string[] } = {}) {
  const { powerState, names = [] } = more;
  const global = {
    ...{ compositionId: "uid-1", compositionKind: "VmTemplate", compositionName: "m", compositionNamespace: "demo" },
    ...(powerState === undefined ? {} : { powerState }),
  };
  const manifests = names.map((name) => `---\n${JSON.stringify({ ...VM, metadata: { name } })}\n`);
  const config = { provider: "azure", schedulingLocation: "westus", cpu: 8, memory: 16, global };
  return {
    ...{ secret: `m.v${String(number)}`, revision: number, status, labels: {}, copy: "", createdAt: number },
    release: { config, manifest: manifests.join("") },
  } as unknown as RecordedRevision;
}

const paused = revision(2, "deployed", { powerState: "deleted" });

it("323: a run is without a machine once all that its earlier revisions made was seen to be gone", () => {
  const before = revision(1, "superseded", { names: ["m"] });
  expect(countedSizes({ revisions: [paused, { ...before, pruned: true }] })).toMatchObject([{ vcpus: 8, idle: true }]);
  for (const record of [
    { revisions: [paused, before] },
    { revisions: [paused], former: [VM] },
    { revisions: [revision(3, "pending-upgrade"), paused] },
    { revisions: [revision(3, "deployed")] },
  ])
    expect(countedSizes(record).some(({ idle }) => idle === true)).toBe(false);
});

it("321: a record keeps the objects of every former revision that was not seen gone", async () => {
  let revisions = trimmed([revision(1, "deployed", { names: ["one"] })]);
  let former = await formerAfter({}, revisions);
  for (let number = 2; number < 7; number += 1) {
    const superseded = revisions.map((one) => ({ ...one, status: "superseded" as const }));
    const next = trimmed([revision(number, "deployed", { names: ["two"] }), ...superseded].slice(0, 5));
    former = await formerAfter({ revisions, former }, next);
    revisions = next;
  }
  expect(former.map(({ metadata }) => metadata.name)).toContain("one");
  expect(former).toHaveLength(2);
  const [newest, ...others] = revisions;
  const pruned = trimmed([newest as RecordedRevision, ...others.map((one) => ({ ...one, pruned: true as const }))]);
  expect(await formerAfter({ revisions }, pruned)).toEqual([]);
});
