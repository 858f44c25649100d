// Local mode for a bad night: a user who applies objects and repeats what was refused, and somebody who counts afterwards.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import { type Landfall, type LandfallOptions, startLandfall } from "../../../src/local/landfall/start-landfall.ts";
import { type Condition, conditionsOf, type Resource } from "../../../src/model/kubernetes.ts";
import { ANNOTATION, API_VERSION } from "../../../src/model/names.ts";
import { textClient, type TextClient } from "../text-client.ts";
import { type Kubelet, openKubelet } from "./kubelet.ts";

export const VMS = `/apis/${API_VERSION}/namespaces/default/vmtemplates`;
const GOOGLE = "/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/default";
const ELEMENTO = "/apis/elemento.landfall.dev/v1alpha1/namespaces/default";
/** What a machine on each provider consists of. */
const PARTS = [
  ...["computeinstances", "computenetworks", "computesubnetworks", "computefirewalls"].map((one) => `${GOOGLE}/${one}`),
  ...["elementovms", "elementonetworks"].map((one) => `${ELEMENTO}/${one}`),
];
const MACHINES = [`${GOOGLE}/computeinstances`, `${ELEMENTO}/elementovms`];
const LOOK_MS = 250;
/** A user who repeats a command. */
const REPEAT_MS = 500;

/** One object that was applied. */
export interface Applied {
  name: string;
  /** What the API server said to attempts that failed, as kubectl would print it. */
  refusals: string[];
  seconds: number;
}

export interface Night {
  landfall: Landfall;
  api: KubeClient & TextClient;
  kubelet: Kubelet;
  /** Creates an object, again and again until it is there. */
  apply(name: string, spec?: object): Promise<Applied>;
  /** Deletes it in the same way. */
  remove(name: string): Promise<void>;
  list(): Promise<Resource[]>;
  ready(name: string): Promise<Condition | undefined>;
  /** Seconds until all are ready. */
  untilReady(names: readonly string[], seconds: number): Promise<number>;
  /** That each object was decided and has one machine, and no other machine is there. */
  count(names: readonly string[]): Promise<void>;
  /** Deletes the objects, and waits until nothing of them is left. Returns seconds. */
  clear(names: readonly string[], seconds: number): Promise<number>;
  stop(): Promise<void>;
}

export const GCP = { provider: "gcp", cpu: 2, memory: 4 };
export const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index)}`);

/** Waits until `look` answers true; its last failure or `what` after the time. Returns seconds. */
export async function until(what: string, seconds: number, look: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  const elapsed = (): number => (performance.now() - began) / 1000;
  let last: unknown = null;
  while (elapsed() < seconds) {
    try {
      if (await look()) return elapsed();
      last = null;
    } catch (thrown) {
      last = thrown;
    }
    await sleep(LOOK_MS);
  }
  throw new Error(`${what}: not within ${String(seconds)} s`, { cause: last });
}

/** Prints what a fault did: this is what docs/operations/faults.md says. */
export function tell(fault: string, measured: Record<string, number | string | string[]>): void {
  const rounded = Object.entries(measured).map(([key, value]) => [
    key,
    typeof value === "number" ? Math.round(value * 10) / 10 : value,
  ]);
  process.stdout.write(`fault: ${fault}: ${JSON.stringify(Object.fromEntries(rounded))}\n`);
}

/** The different refusals, without what is different in each of them. */
export const refusalsOf = (applied: readonly Applied[]): string[] => {
  const texts = applied.flatMap(({ refusals }) => refusals);
  return [...new Set(texts.map((text) => text.replaceAll(/[0-9a-f]{6,}|\d+/g, "N").slice(0, 200)))].sort();
};

const isReady = (object: Resource): boolean =>
  conditionsOf(object).some(({ type, status }) => type === "Ready" && status === "True");

export async function startNight(options: Omit<LandfallOptions, "dir" | "env"> = {}): Promise<Night> {
  const base = await mkdtemp(join(tmpdir(), "landfall-night-"));
  const dir = join(base, "plane");
  const landfall = await startLandfall({ dir, env: process.env, speed: 4, ...options });
  const kubelet = openKubelet((name) => landfall.stage.paths.log(name));
  const api = textClient(landfall.client);
  const itemsOf = async (path: string): Promise<Resource[]> =>
    (await api.get<{ items: Resource[] }>(path))?.items ?? [];
  const read = (name: string): Promise<Resource | null> => api.get<Resource>(`${VMS}/${name}`);

  async function apply(name: string, spec: object = GCP): Promise<Applied> {
    const [began, refusals] = [performance.now(), [] as string[]];
    const object = { apiVersion: API_VERSION, kind: "VmTemplate", metadata: { name, namespace: "default" }, spec };
    for (;;) {
      try {
        // An attempt whose answer was lost may have succeeded.
        if (refusals.length === 0 || (await read(name)) === null) await api.create(VMS, object);
        return { name, refusals, seconds: (performance.now() - began) / 1000 };
      } catch (thrown) {
        refusals.push(thrown instanceof ApiError ? thrown.detail : String(thrown));
        await sleep(REPEAT_MS);
      }
    }
  }

  async function remove(name: string): Promise<void> {
    const attempt = async (): Promise<boolean> => {
      await api.remove(`${VMS}/${name}`);
      return true;
    };
    await until(`the deletion of ${name}`, 180, attempt);
  }

  const untilReady: Night["untilReady"] = (names, seconds) =>
    until(`${String(names.length)} objects ready`, seconds, async () => {
      const ready = new Set((await itemsOf(VMS)).filter(isReady).map(({ metadata }) => metadata.name));
      const missing = names.filter((name) => !ready.has(name));
      if (missing.length > 0) throw new Error(`not ready: ${missing.slice(0, 5).join(" ")}`);
      return true;
    });

  return {
    ...{ landfall, api, kubelet, apply, remove, untilReady, list: () => itemsOf(VMS) },
    ready: async (name) => conditionsOf((await read(name)) ?? {}).find(({ type }) => type === "Ready"),
    async count(names) {
      const objects = await itemsOf(VMS);
      expect(objects.map(({ metadata }) => metadata.name).sort()).toEqual([...names].sort());
      const undecided = objects.filter(({ metadata: { annotations = {} } }) => !(ANNOTATION.decision in annotations));
      expect(undecided).toEqual([]);
      const machines = (await Promise.all(MACHINES.map(itemsOf))).flat().map(({ metadata }) => metadata.name);
      expect(machines.sort()).toEqual([...names].sort());
      const releases = await itemsOf("/api/v1/namespaces/default/secrets?labelSelector=owner%3Dhelm");
      const deployed = releases.filter(({ metadata }) => metadata.labels?.["status"] === "deployed");
      expect(deployed).toHaveLength(names.length);
    },
    async clear(names, seconds) {
      const began = performance.now();
      await Promise.all(names.map(remove));
      await until("nothing is left", seconds, async () => {
        const left = (await Promise.all([VMS, ...PARTS].map(itemsOf))).flat().map(({ metadata }) => metadata.name);
        if (left.length > 0) throw new Error(`left: ${left.slice(0, 5).join(" ")}`);
        return true;
      });
      return (performance.now() - began) / 1000;
    },
    async stop() {
      await kubelet.stop();
      await landfall.stop();
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
