// A cluster that its provider no longer has while its run lasts.
import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../src/composition/types.ts";
import { cnrm, RunWithMachine } from "../../../support/composition/run-with-machine.ts";

const cluster = (endpoint: string | null, message: string | null = null): Resource =>
  cnrm("ContainerCluster", message, { status: endpoint === null ? {} : { endpoint } });

async function runs(live: Resource): Promise<RunWithMachine> {
  const run = new RunWithMachine({ kind: "KaasCluster", spec: { duration: "5h", whenDone: "delete" } });
  run.live = [live];
  await run.lookFrom(0, 1);
  return run;
}

describe("a cluster that is gone during its run", () => {
  it("ends it, and is reported and recorded as a machine is", async () => {
    const run = await runs(cluster("192.0.2.1"));
    run.live = [cluster(null, "is being created")];
    const over = await run.look(2);
    expect(over.record.end).toMatchObject({ by: "provider", outcome: "unknown" });
    expect(run.condition(over, "Completed")).toMatchObject({ status: "True", reason: "MachineEnded" });
    expect(run.condition(over, "Completed")?.message).toMatch(/^its cluster is no longer there at the provider since/);
    expect(run.status(over)).toMatchObject({ by: "provider", hours: "2.00", usd: "2.00" });
    expect(run.events.filter((text) => text.startsWith("Completed: "))).toHaveLength(1);
  });

  it.each<[string, Resource, Resource[]]>([
    ["has another endpoint", cluster("192.0.2.1"), [cluster("192.0.2.2")]],
    ["is upgraded", cluster("192.0.2.1"), [cluster("192.0.2.1", "is being upgraded")]],
    ["never had an endpoint", cluster(null), [cluster(null, "is being upgraded")]],
    ["is not known for now", cluster("192.0.2.1"), []],
  ])("is not one that %s", async (_what, before, after) => {
    const run = await runs(before);
    run.live = after;
    expect((await run.look(2)).record.end).toBeNull();
  });
});
