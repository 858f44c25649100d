// A cluster that its provider no longer has while its run lasts.
import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../src/composition/types.ts";
import { cnrm, HOUR, RunWithMachine, START } from "../../../support/composition/run-with-machine.ts";

const cluster = (endpoint: string | null, message: string | null = null): Resource =>
  cnrm("ContainerCluster", message, { status: endpoint === null ? {} : { endpoint } });

/** One of another resource with its name. */
const named = (uid: string, endpoint: string | null): Resource => {
  const one = cluster(endpoint, "is being created");
  return { ...one, metadata: { ...one.metadata, uid } };
};

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
    const gone = await run.look(2);
    expect([gone.record.end, gone.step.lookAt]).toEqual([null, START + 2 * HOUR + 300]);
    const over = await run.look(2.1);
    expect(over.record.end).toMatchObject({ by: "provider", outcome: "unknown" });
    expect(run.condition(over, "Completed")).toMatchObject({ status: "True", reason: "MachineEnded" });
    expect(run.condition(over, "Completed")?.message).toMatch(/^its cluster is no longer there at the provider since/);
    expect(run.status(over)).toMatchObject({ by: "provider", hours: "2.10", usd: "2.10" });
    expect(run.events.filter((text) => text.startsWith("Completed: "))).toHaveLength(1);
  });

  it.each<[string, Resource]>([
    ["whose operator shows no endpoint for a moment", cluster(null, "is being read")],
    ["whose resource is created again", named("another", null)],
  ])("is not one %s", async (_what, bare) => {
    const run = await runs(cluster("192.0.2.1"));
    run.live = [bare];
    await run.lookFrom(2, 2.05);
    run.live = [{ ...bare, ...cluster("192.0.2.1"), metadata: bare.metadata }];
    const there = await run.lookFrom(2.06, 2.5);
    expect([there.record.end, there.record.goneSince]).toEqual([null, undefined]);
    // The one that is there by now can be gone as well.
    run.live = [bare];
    expect((await run.lookFrom(2.51, 3)).record.end).toMatchObject({ by: "provider" });
  });

  it("ends no run while nothing is known of it", async () => {
    const run = await runs(cluster("192.0.2.1"));
    run.live = [cluster(null, "is being created")];
    await run.look(2);
    run.live = [];
    expect((await run.look(2.5)).record.end).toBeNull();
  });

  it.each<[string, Resource, Resource[]]>([
    ["has another endpoint", cluster("192.0.2.1"), [cluster("192.0.2.2")]],
    ["is upgraded", cluster("192.0.2.1"), [cluster("192.0.2.1", "is being upgraded")]],
    ["never had an endpoint", cluster(null), [cluster(null, "is being upgraded")]],
    ["is not known for now", cluster("192.0.2.1"), []],
  ])("is not one that %s", async (_what, before, after) => {
    const run = await runs(before);
    run.live = after;
    await run.look(2);
    expect((await run.look(2.5)).record.end).toBeNull();
  });
});
