// Two controllers, of which the leader stops for longer than its Lease and comes back; and clocks that are an hour wrong.
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePorts } from "../../../src/local/processes/free-ports.ts";
import { projectPath } from "../../../src/local/processes/project-path.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { CONTROLLER_LEASE } from "../../../src/model/names.ts";
import type { Change } from "../../support/faults/kubelet.ts";
import { type Night, named, refusalsOf, startNight, tell, until } from "../../support/faults/night.ts";

const LEASE = `/apis/coordination.k8s.io/v1/namespaces/landfall-system/leases/${CONTROLLER_LEASE}`;
const OBJECTS = 20;
/** Twice the duration of the Lease. */
const FROZEN_MS = 30_000;
const HOUR_MS = 3_600_000;

let night: Night;
let shiftFile: string;
const [first, second] = ["composition", "composition-2"] as const;

async function setClocks(ms: number): Promise<void> {
  await writeFile(`${shiftFile}.new`, String(ms));
  await rename(`${shiftFile}.new`, shiftFile);
}

const holder = async (): Promise<string> =>
  ((await night.api.get<Resource>(LEASE)) as { spec?: { holderIdentity?: string } } | null)?.spec?.holderIdentity ?? "";

const elected =
  (identity: string) =>
  (args: readonly string[]): string[] => [...args, "--leader-elect", "landfall-system", "--identity", identity];

/** The clock of a process is that of the file. */
const shifted = (args: Change["args"]): Change => ({
  args: args ?? ((same) => [...same]),
  env: {
    CLOCK_SHIFT_FILE: shiftFile,
    NODE_OPTIONS: `--import ${projectPath("test/support/processes/shifted-clock.ts")}`,
  },
});

beforeAll(async () => {
  night = await startNight({ helmBy: "worker" });
  shiftFile = join(night.landfall.stage.paths.root, "clock-shift");
  await setClocks(0);
  const [port = 0] = await freePorts(1);
  const { kubelet } = night;
  await kubelet.restart(first, shifted(elected(first)));
  const apart = (one: string): string => {
    if (one.startsWith("--data-dir=")) return `${one}-2`;
    return one.startsWith("--health-port=") ? `--health-port=${String(port)}` : one;
  };
  const other = shifted((args) => elected(second)(args.map(apart)));
  kubelet.copy(first, second, other);
  await kubelet.restart("webhook", shifted(undefined));
  await until("a leader", 60, async () => (await holder()) !== "");
});

afterAll(() => night.stop());

it("a leader that comes back after another took over ends itself, and installs nothing twice", async () => {
  const [before, meanwhile] = [named("led", OBJECTS), named("taken-over", OBJECTS)];
  await Promise.all(before.map((one) => night.apply(one)));
  const leader = await holder();
  // In the middle of its installations.
  await until("an installation", 60, async () =>
    (await night.list()).some(({ metadata }) => metadata.labels?.["krateo.io/release-name"] !== undefined),
  );
  night.kubelet.freeze(leader);
  const began = performance.now();
  const applied = await Promise.all(meanwhile.map((one) => night.apply(one)));
  const takeover = await until("another leader", 60, async () => (await holder()) !== leader);
  await sleep(Math.max(0, FROZEN_MS - (performance.now() - began)));
  night.kubelet.thaw(leader);
  await until("the end of the old leader", 30, () => Promise.resolve(night.kubelet.ends(leader).length > 0));
  await night.untilReady([...before, ...meanwhile], 240);
  const ready = (performance.now() - began) / 1000;
  await night.count([...before, ...meanwhile]);
  tell("the leader stops for 30 s", {
    takeover,
    ready,
    "the old leader": [...night.kubelet.ends(leader)],
    seen: refusalsOf(applied),
  });
  expect([night.kubelet.ends(leader)[0], refusalsOf(applied)]).toEqual(["exit code 1", []]);
  await night.clear([...before, ...meanwhile], 240);
});

it.each([
  ["forward", HOUR_MS],
  ["back", -HOUR_MS],
])("clocks of webhook and controllers that are set an hour %s lose nothing", async (direction, ms) => {
  const [before, meanwhile, later] = ["before", "meanwhile", "after"].map((one) =>
    named(`clock-${direction}-${one}`, 5),
  ) as [string[], string[], string[]];
  await Promise.all(before.map((one) => night.apply(one)));
  await setClocks(ms);
  await sleep(2000);
  const wrong = await Promise.all(meanwhile.map((one) => night.apply(one)));
  await night.untilReady(before, 120);
  const readyMeanwhile = await night.untilReady(meanwhile, 60).catch(() => "not before the clock was right");
  await setClocks(0);
  const right = await Promise.all(later.map((one) => night.apply(one)));
  const recovery = await night.untilReady([...before, ...meanwhile, ...later], 240);
  await night.count([...before, ...meanwhile, ...later]);
  tell(`clocks an hour ${direction}`, { readyMeanwhile, recovery, seen: refusalsOf([...wrong, ...right]) });
  expect(refusalsOf(right)).toEqual([]);
  await night.clear([...before, ...meanwhile, ...later], 240);
});
