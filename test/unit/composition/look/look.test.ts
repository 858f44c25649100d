import { describe, expect, it } from "vitest";
import type { CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import { askToLook } from "../../../../src/composition/look/ask-to-look.ts";
import { keepMachines } from "../../../../src/composition/look/keep-machines.ts";
import { Looks } from "../../../../src/composition/context/looks.ts";
import { lookEveryOf, machineCondition } from "../../../../src/composition/look/machine-condition.ts";
import type { Release } from "../../../../src/composition/managed/release.ts";
import { withMachine } from "../../../../src/composition/status/ready-condition.ts";
import type { FollowedRun } from "../../../../src/composition/run/follow/follow-run.ts";
import { summariseReadiness } from "../../../../src/composition/status/summarise-readiness.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { ack } from "../../../../src/local/simulators/ack/ack.ts";
import { STOPPED_BY_HAND } from "../../../../src/local/simulators/ack/ack-instance.ts";
import { stateOf } from "../../../../src/local/simulators/decide-phase.ts";
import type { Resource as Simulated } from "../../../../src/local/simulators/types.ts";
import { made, resources } from "../../simulators/resources.ts";

const EC2 = "ec2.services.k8s.aws/v1alpha1";
const START = 1_800_000_000;
const EVERY = 900;

/** A running machine of the simulator. */
function instance(name = "web"): Simulated {
  const text = `{apiVersion: ${EC2}, kind: Instance, metadata: {name: ${name}}, spec: {imageID: ami-0123456789abcdef0}}`;
  const [resource] = resources(text);
  if (resource === undefined) throw new TypeError("no resource");
  return made(ack, resource);
}

const composition = (annotations: Record<string, string> = {}): Resource => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: { name: "web", annotations } },
});

interface World {
  context: CompositionContext;
  release: Release;
  live: Map<string, Simulated>;
  /** What was patched, by name. */
  patches: [string, unknown][];
  clock: { now: number };
}

/** A controller over these machines, which the API server changes as asked; each change is a new generation. */
function worldOf(machines: readonly Simulated[], lookSeconds: number | null = null): World {
  const live = new Map(machines.map((one) => [one.metadata.name, one]));
  const patches: [string, unknown][] = [];
  const clock = { now: START };
  const patch = (path: string, _how: string, { spec }: { spec: Record<string, unknown> }): Promise<null> => {
    const before = live.get(path);
    patches.push([path, spec]);
    if (before) {
      const { generation = 1 } = before.metadata;
      const metadata = { ...before.metadata, generation: generation + 1 };
      live.set(path, { ...before, metadata, spec: { ...before.spec, ...spec } });
    }
    return Promise.resolve(null);
  };
  const context = {
    ...{ looks: new Looks(), lookSeconds, nowSeconds: () => clock.now },
    managed: { get: ({ name }: { name: string }) => live.get(name) },
    tenant: () => ({ patch }),
  } as unknown as CompositionContext;
  const objects = machines.map(({ metadata: { name } }) => ({
    ...{ apiVersion: EC2, kind: "Instance", name, entry: { path: name } },
  }));
  return { context, release: { namespace: "demo", objects } as unknown as Release, live, patches, clock };
}

async function pass(world: World, seconds: number, object = composition()): Promise<void> {
  for (let at = 0; at < seconds; at += 60) {
    world.clock.now += 60;
    await askToLook(world.context, object, world.release);
  }
}

describe("making AWS's controller look at a machine", () => {
  it("changes a field that AWS never gets, in turn present and absent, about every quarter of an hour", async () => {
    const world = worldOf([instance()]);
    await pass(world, 4 * EVERY);
    const [first, second, ...more] = world.patches;
    expect([first, second]).toEqual([
      ["web", { maxCount: 1 }],
      ["web", { maxCount: null }],
    ]);
    expect(more.length).toBeGreaterThanOrEqual(1);
    expect(more.length).toBeLessThanOrEqual(2);
  });

  it.each<[string, World, Resource]>([
    ["switched off", worldOf([instance()], 0), composition()],
    ["forbidden by its user", worldOf([instance()]), composition({ "landfall.dev/repair": "never" })],
    ["a machine that is not ready", worldOf([{ ...instance(), status: {} }]), composition()],
  ])("does not if that is %s", async (_, world, object) => {
    await pass(world, 4 * EVERY, object);
    expect(world.patches).toEqual([]);
  });

  it("costs at most 60 looks a minute for all machines, and spreads those of a new process", async () => {
    const world = worldOf(Array.from({ length: 3_000 }, (_, index) => instance(`vm-${index}`)));
    const perMinute: number[] = [];
    for (let minute = 0; minute < 30; minute += 1) {
      const before = world.patches.length;
      await pass(world, 60);
      perMinute.push(world.patches.length - before);
    }
    expect(Math.max(...perMinute)).toBe(60);
    expect(perMinute[0]).toBe(0);
    const few = worldOf(Array.from({ length: 90 }, (_, index) => instance(`vm-${index}`)));
    await pass(few, 60);
    await pass(few, 60);
    expect(few.patches.length).toBeLessThan(30);
  });

  const spot = (): Simulated => {
    const machine = instance();
    return { ...machine, spec: { ...machine.spec, instanceMarketOptions: { marketType: "spot" } } };
  };
  const run = (end: object | null = null, what = "run") => ({ record: { end }, step: { do: what } }) as FollowedRun;

  it.each<[string, Simulated, FollowedRun, boolean]>([
    ["a spot machine, which AWS may take back", spot(), run(), true],
    ["a spot machine whose run is over", spot(), run({ by: "time" }), false],
    ["a spot machine whose run ends now", spot(), run(null, "stop"), false],
    ["a machine on demand, which may end as planned", instance(), run(), false],
  ])("that has a run is done only for %s", async (_, machine, followed, isAsked) => {
    const world = worldOf([machine]);
    for (let at = 0; at < 4 * EVERY; at += 60) {
      world.clock.now += 60;
      await keepMachines(world.context, composition({ "landfall.dev/repair": "auto" }), world.release, followed);
    }
    expect(world.patches.length > 0).toBe(isAsked);
  });

  it("forgets a machine that is gone", async () => {
    const world = worldOf([instance()]);
    await pass(world, 2 * EVERY);
    const asked = world.patches.length;
    expect(asked).toBeGreaterThan(0);
    world.context.looks.forget("u", ["web"]);
    await pass(world, 60);
    expect(world.patches).toHaveLength(asked);
  });
});

const found = (live: Simulated | Resource, kind = "Instance", apiVersion = EC2) => ({
  ...{ apiVersion, kind, name: "web", live: live as Resource },
});

/** As the data says, without an option or a policy. */
const everyOf = () => lookEveryOf({ lookSeconds: null }, instance());

describe("the condition Machine", () => {
  it.each<[string, number | null, Record<string, string>, string]>([
    ["by the interval of the option", 3600, {}, "1h"],
    ["by ACK's own look if the option forbids asking", 0, {}, "10h"],
    ["by ACK's own look if the object's policy forbids it", null, { [ANNOTATION.repair]: "never" }, "10h"],
  ])("says how old it is: %s", (_what, lookSeconds, annotations, age) => {
    const composition = { ...instance(), metadata: { name: "web", annotations } };
    const said = machineCondition([found(instance())], lookEveryOf({ lookSeconds }, composition));
    expect(said?.message).toBe(`as its operator last saw it, at most about ${age} ago`);
  });

  it("shows a machine that was stopped by hand once its operator has looked, and the object is not Ready", async () => {
    const running = instance();
    const running15 = "as its operator last saw it, at most about 15m ago";
    expect(machineCondition([found(running)], everyOf())).toMatchObject({ reason: "Running", message: running15 });
    const stopped = { ...running, metadata: { ...running.metadata, annotations: { [STOPPED_BY_HAND]: "true" } } };
    // An annotation is no reason for ACK to look: its state, and what it reports, stay.
    expect(stateOf(stopped, ack)).toBe(stateOf(running, ack));
    const world = worldOf([stopped]);
    await pass(world, 2 * EVERY);
    const asked = world.live.get("web");
    if (asked === undefined) throw new TypeError("no machine");
    expect(stateOf(asked, ack)).not.toBe(stateOf(stopped, ack));
    const seen = made(ack, asked);
    const ready = summariseReadiness([found(seen)], START);
    expect(ready).toMatchObject({ status: "True", reason: "Available" });
    const machine = machineCondition([found(seen)], everyOf());
    expect(machine).toMatchObject({ status: "False", reason: "Stopped" });
    expect(machine?.message).toContain("Instance web is stopped at its provider");
    expect(withMachine(ready, machine)).toMatchObject({ status: "False", reason: "MachineStopped" });
  });

  it("is not observable on Azure", () => {
    const vm = { apiVersion: "compute.azure.com/v1api20220301", kind: "VirtualMachine", metadata: {}, status: {} };
    const said = machineCondition([found(vm, "VirtualMachine", "compute.azure.com/v1api20220301")], everyOf());
    expect(said).toMatchObject({ status: "Unknown", reason: "NotObservable" });
    expect(said?.message).toContain("does not read the power state");
    const ready = { type: "Ready", status: "True", reason: "Available", message: "" } as const;
    expect(withMachine(ready, said)).toEqual(ready);
  });

  it.each([
    ["compute.cnrm.cloud.google.com/v1beta1", "ComputeInstance", { currentStatus: "TERMINATED" }, "False"],
    ["compute.cnrm.cloud.google.com/v1beta1", "ComputeInstance", { currentStatus: "RUNNING" }, "True"],
    ["compute.cnrm.cloud.google.com/v1beta1", "ComputeInstance", { currentStatus: "SUSPENDED" }, "False"],
    ["elemento.landfall.dev/v1alpha1", "ElementoVm", { state: "off" }, "False"],
    ["elemento.landfall.dev/v1alpha1", "ElementoVm", { state: "gone" }, "False"],
    ["compute.cnrm.cloud.google.com/v1beta1", "ComputeInstance", {}, "Unknown"],
    ["compute.cnrm.cloud.google.com/v1beta1", "ComputeInstance", { currentStatus: null }, "Unknown"],
    [EC2, "Instance", { conditions: [] }, "Unknown"],
    ["elemento.landfall.dev/v1alpha1", "ElementoVm", {}, "Unknown"],
  ] as const)("reads %s %s %j", (apiVersion, kind, status, expected) => {
    const live = { apiVersion, kind, metadata: {}, status };
    expect(machineCondition([found(live, kind, apiVersion)], everyOf())?.status).toBe(expected);
  });

  it("is only of machines that are there", () => {
    expect(machineCondition([], everyOf())).toBeNull();
    expect(machineCondition([{ apiVersion: EC2, kind: "Instance", name: "web", live: null }], everyOf())).toBeNull();
    expect(machineCondition([found(instance(), "VPC")], everyOf())).toBeNull();
  });
});
