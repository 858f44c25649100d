import { pino } from "pino";
import { expect, it } from "vitest";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import type { Composition } from "../../../../../src/composition/context/composition-context.ts";
import { FINALIZER, LABEL } from "../../../../../src/composition/keys.ts";
import type { InstalledChart } from "../../../../../src/composition/record/installed-chart.ts";
import { openRollouts } from "../../../../../src/composition/record/open-rollouts.ts";
import { Rollouts } from "../../../../../src/composition/rollout/rollouts.ts";
import type { CompositionDefinition, Resource, ServedChart } from "../../../../../src/composition/types.ts";

const CHART = {
  ...{ definition: { namespace: "platform", name: "vm" }, version: "v0-2-0", kind: "VmTemplate" },
  chart: { name: "vm", version: "0.2.0" },
} as unknown as ServedChart;
const OLD: InstalledChart = { version: "v0-1-0", chart: "0.1.0" };
const NEW: InstalledChart = { version: "v0-2-0", chart: "0.2.0" };
const READY = { type: "Ready", status: "True", reason: "Available", message: "" };
const REFUSED = { type: "Ready", status: "False", reason: "ProviderTerminal", message: "" };

function composition(namespace: string, uid: string, condition: object = READY): Composition {
  const labels = { [LABEL.version]: "v0-2-0", [LABEL.releaseName]: uid };
  const metadata = { uid, name: uid, namespace, finalizers: [FINALIZER], labels };
  return { key: `${namespace}/${uid}`, object: { metadata, status: { conditions: [condition] } } } as never;
}

/** The Secrets of a cluster, for several controllers one after the other. */
function secrets(): KubeClient {
  const stored = new Map<string, Resource>();
  const put = (path: string, object: Resource): Promise<Resource> => {
    stored.set(path, { ...object, metadata: { ...object.metadata, resourceVersion: "1" } });
    return Promise.resolve(object);
  };
  return {
    get: (path: string) => Promise.resolve(stored.get(path) ?? null),
    create: (path: string, object: Resource) => put(`${path}/${object.metadata.name ?? ""}`, object),
    replace: put,
  } as unknown as KubeClient;
}

interface World {
  client?: KubeClient;
  /** What each object has, by its record. */
  objects: [Composition, InstalledChart | null][];
  annotations?: Record<string, string>;
  chart?: ServedChart;
}

function controller({ client = secrets(), objects, annotations = {}, chart = CHART }: World) {
  const asked: string[] = [];
  const clock = { now: 1_800_000_000 };
  const list = objects.map(([one]) => one);
  const rollouts = new Rollouts({
    ...{ client, log: pino({ level: "silent" }), nowSeconds: () => clock.now, servedFor: () => chart },
    records: openRollouts(client, "landfall-system"),
    charts: () => [chart],
    definition: () => ({ metadata: { name: "vm", namespace: "platform", annotations } }) as CompositionDefinition,
    list: () => list,
    reconcileNow: (key) => void asked.push(key),
  });
  const note = (one: Composition, installed: InstalledChart | null): void =>
    rollouts.note(one.object, chart, installed);
  for (const [one, installed] of objects) note(one, installed);
  const look = async (seconds = 0): Promise<string[]> => {
    clock.now += seconds;
    await rollouts.look();
    return asked.splice(0);
  };
  const turn = ({ object }: Composition): true | string => rollouts.turnOf(object, chart, OLD);
  return { look, list, note, turn };
}

const victims = (): [Composition, InstalledChart][] =>
  ["one", "two", "three"].map((uid) => [composition("shop", uid), OLD]);

it("a new object of another namespace neither stops a rollout by failing, nor holds it up, nor proves the chart", async () => {
  for (const [condition, installed] of [
    [REFUSED, NEW],
    [REFUSED, null],
    [{ ...REFUSED, reason: "Creating" }, NEW],
    [READY, NEW],
  ] as const) {
    const { look } = controller({ objects: [...victims(), [composition("evil", "new", condition), installed]] });
    expect(await look()).toEqual(["shop/one"]);
    expect(await look(70)).toEqual([]);
  }
});

it("labels say nothing about what is installed", async () => {
  // All of them have the label of the new version.
  const { look, turn } = controller({ objects: victims() });
  expect(await look()).toEqual(["shop/one"]);
  const [first, second] = victims();
  expect([first && turn(first[0]), second && turn(second[0])]).toEqual([true, expect.stringContaining("stays until")]);
});

it("a failure stays when its object is paused or deleted, and under another controller", async () => {
  const client = secrets();
  const first = controller({ client, objects: victims() });
  expect(await first.look()).toEqual(["shop/one"]);
  first.list[0] = composition("shop", "one", REFUSED);
  expect(await first.look(5)).toEqual([]);
  const annotated = composition("shop", "one", READY);
  annotated.object.metadata.annotations = { "krateo.io/paused": "true" };
  first.list[0] = annotated;
  expect(await first.look(70)).toEqual([]);
  first.list.shift();
  expect(await first.look(700)).toEqual([]);
  const next = controller({ client, objects: victims().slice(1) });
  expect(await next.look()).toEqual([]);
  const raised = controller({
    ...{ client, objects: victims().slice(1), annotations: { "landfall.dev/rollout-failures": "2" } },
  });
  expect(await raised.look(70)).toEqual(["shop/two"]);
});

it("a failure ends when its object is ready with the new version", async () => {
  const { look, list, note } = controller({ objects: victims() });
  await look();
  list[0] = composition("shop", "one", REFUSED);
  expect(await look(5)).toEqual([]);
  const well = composition("shop", "one");
  list[0] = well;
  note(well, NEW);
  expect(await look(70)).toEqual(["shop/two", "shop/three"]);
});

it("another controller knows what is on its way, and since when", async () => {
  const client = secrets();
  const objects = victims();
  await controller({ client, objects }).look();
  const slow: World["objects"] = [
    [composition("shop", "one", { ...REFUSED, reason: "Creating" }), NEW],
    ...objects.slice(1),
  ];
  const next = controller({ client, objects: slow });
  expect(await next.look(120)).toEqual([]);
  expect(await next.look(500)).toEqual([]);
  // It counts as failed now, although another process let it through.
  expect(await next.look(500)).toEqual([]);
  expect(next.turn(composition("shop", "two"))).toContain("the rollout stopped");
});

it("one namespace's failures alone do not stop a rollout that allows several", async () => {
  const evil = ["a", "b", "c"].map((uid): [Composition, InstalledChart] => [composition("evil", uid), OLD]);
  const annotations = { "landfall.dev/rollout-failures": "2", "landfall.dev/rollout-per-minute": "100" };
  const { look, list, note } = controller({ objects: [...evil, ...victims()], annotations });
  expect(await look()).toEqual(["evil/a"]);
  list[0] = composition("evil", "a", REFUSED);
  expect(await look(5)).toEqual(["evil/b"]);
  list[1] = composition("evil", "b", REFUSED);
  expect(await look(5)).toEqual(["evil/c"]);
  note(composition("evil", "c"), NEW);
  expect(await look(5)).toEqual(["shop/one", "shop/two", "shop/three"]);
});

it("an object that failed before its turn is no failure of the chart, whatever its Ready says", async () => {
  const broken = composition("evil", "a");
  broken.object.status = {
    conditions: [READY, { type: "Synced", status: "False", reason: "ReconcileError", message: "its name is taken" }],
  };
  const { look, list, note } = controller({ objects: [[broken, OLD]] });
  expect(await look()).toEqual(["evil/a"]);
  const added = composition("shop", "one");
  list.push(added);
  note(added, OLD);
  note(broken, NEW);
  expect(await look(70)).toEqual(["shop/one"]);
});

it("a version that was set back and again begins anew", async () => {
  const client = secrets();
  const first = controller({ client, objects: victims() });
  await first.look();
  first.list[0] = composition("shop", "one", REFUSED);
  expect(await first.look(5)).toEqual([]);
  await controller({ client, objects: victims(), chart: { ...CHART, version: "v0-1-0" } }).look();
  expect(await controller({ client, objects: victims() }).look()).toEqual(["shop/one"]);
});

it("250: objects that never get ready take the place of others for ten minutes at most, and of none once they fail", async () => {
  const stuck = composition("tenant", "a", { ...READY, status: "False", reason: "Creating" });
  const broken = composition("tenant", "b", REFUSED);
  const { look } = controller({
    objects: [
      [stuck, OLD],
      [broken, OLD],
      [composition("other", "c", { ...READY, status: "False", reason: "Creating" }), OLD],
    ],
  });
  const turns: string[] = [];
  for (let minute = 0; minute < 40; minute++) turns.push(...(await look(60)));
  expect(new Set(turns)).toEqual(new Set(["tenant/a", "tenant/b", "other/c"]));
});
