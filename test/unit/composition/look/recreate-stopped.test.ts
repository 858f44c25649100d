import { describe, expect, it } from "vitest";
import type { CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import { Looks } from "../../../../src/composition/context/looks.ts";
import { recreateStopped } from "../../../../src/composition/look/recreate-stopped.ts";
import type { Release } from "../../../../src/composition/managed/release.ts";
import { runValues } from "../../../../src/composition/report/run-values.ts";
import type { Resource } from "../../../../src/composition/types.ts";

const EC2 = "ec2.services.k8s.aws/v1alpha1";
const START = Date.parse("2026-11-21T10:00:00Z") / 1000;
const HOUR = 3600;

const machine = (word: string, more: Partial<Resource["metadata"]> = {}, name = "web"): Resource => ({
  ...{ apiVersion: EC2, kind: "Instance", spec: {}, status: { state: { name: word } } },
  metadata: { name, creationTimestamp: "2026-11-21T10:00:00Z", ...more },
});

const object = (repair?: string, spec: object = {}): Resource => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec: { ...spec } },
  metadata: { name: "web", annotations: repair === undefined ? {} : { "landfall.dev/repair": repair } },
});

interface World {
  context: CompositionContext;
  release: Release;
  removed: string[];
  events: string[];
}

/** A controller over these machines. `read` is what the API server has, where the cache is late. */
function worldOf(machines: readonly Resource[], seconds: number, read = machines): World {
  const [removed, events]: [string[], string[]] = [[], []];
  const find = (list: readonly Resource[], name: string) => list.find(({ metadata }) => metadata.name === name);
  const context = {
    ...{ looks: new Looks(), nowSeconds: () => START + seconds },
    managed: {
      get: ({ name }: { name: string }) => find(machines, name),
      read: ({ name }: { name: string }) => Promise.resolve(find(read, name) ?? null),
    },
    record: (_object: Resource, { reason }: { reason: string }) => events.push(reason),
    tenant: () => ({ remove: (path: string) => Promise.resolve(removed.push(path)) }),
  } as unknown as CompositionContext;
  const objects = machines.map(({ apiVersion, kind, metadata: { name } }) => ({
    ...{ apiVersion, kind, name, entry: { path: name } },
  }));
  return { context, release: { namespace: "demo", objects } as unknown as Release, removed, events };
}

describe("landfall.dev/repair: recreate", () => {
  it("deletes an instance that was stopped by hand, and says so", async () => {
    const world = worldOf([machine("stopped")], HOUR);
    await recreateStopped(world.context, object("recreate"), world.release);
    expect([world.removed, world.events]).toEqual([["web"], ["MachineRecreated"]]);
  });

  it.each<[string, World, Resource]>([
    ["without the annotation", worldOf([machine("stopped")], HOUR), object()],
    ["with another policy", worldOf([machine("stopped")], HOUR), object("never")],
    ["with a word from before admission knew it", worldOf([machine("stopped")], HOUR), object("always")],
    ["that is to be retained", worldOf([machine("stopped")], HOUR), object("recreate", { deletionPolicy: "retain" })],
    ["that runs", worldOf([machine("running")], HOUR), object("recreate")],
    ["that is still stopping", worldOf([machine("stopping")], HOUR), object("recreate")],
    ["that ACK creates again by itself", worldOf([machine("terminated")], HOUR), object("recreate")],
    ["that is less than an hour old", worldOf([machine("stopped")], HOUR - 1), object("recreate")],
    [
      "that is being deleted",
      worldOf([machine("stopped", { deletionTimestamp: "2026-11-21T10:30:00Z" })], HOUR),
      object("recreate"),
    ],
    ["that was started meanwhile", worldOf([machine("stopped")], HOUR, [machine("running")]), object("recreate")],
    ["that is gone", worldOf([machine("stopped")], HOUR, []), object("recreate")],
    [
      "whose operator starts it",
      worldOf([{ ...machine("TERMINATED"), apiVersion: "compute.cnrm.cloud.google.com/v1beta1" }], HOUR),
      object("recreate"),
    ],
  ])("leaves a machine %s", async (_, world, composition) => {
    await recreateStopped(world.context, composition, world.release);
    expect([world.removed, world.events]).toEqual([[], []]);
  });

  it("acts on at most 60 machines a minute, with the looks", async () => {
    const many = Array.from({ length: 100 }, (_, index) => machine("stopped", {}, `vm-${index}`));
    const world = worldOf(many, HOUR);
    await recreateStopped(world.context, object("recreate"), world.release);
    expect(world.removed).toHaveLength(60);
  });
});

describe("landfall.dev/repair: never", () => {
  it("tells the chart to leave a stopped machine, and only of an object without a run", () => {
    const context = { keys: null, reportUrl: null };
    expect(runValues(context, object("never"), null)).toEqual({ powerState: "as-is" });
    expect(runValues(context, object("auto"), null)).toEqual({});
    expect(runValues(context, object(), null)).toEqual({});
  });
});
