import { setTimeout as sleep } from "node:timers/promises";
import type { ElementoApi } from "../api/elemento-api.ts";
import type { Cluster, Network, Vm, Volume } from "../api/types.ts";

/** A list, and when it was requested (ms since 1970): it cannot contain anything created later. */
export interface Listed<T> {
  readonly at: number;
  readonly items: readonly T[];
}

/** An account's resources, listed once for all objects that need them at the same moment. */
export interface AccountView {
  vms(): Promise<Listed<Vm>>;
  volumes(): Promise<Listed<Volume>>;
  networks(): Promise<Listed<Network>>;
  clusters(): Promise<Listed<Cluster>>;
}

/** Maximum age of a list, in ms: Elemento has no call for one machine, so one list serves all. */
const FRESH_MS = 700;

/** After this many ms a list is requested a second time, because all objects of the account wait for it. */
const SLOW_MS = 2000;

async function impatient<T>(list: () => Promise<T[]>): Promise<T[]> {
  let settled = false;
  const first = list().finally(() => {
    settled = true;
  });
  const second = sleep(SLOW_MS, undefined, { ref: false }).then(() => (settled ? first : list()));
  second.catch(() => undefined);
  // A failure of the first request counts as its answer.
  return Promise.race([first, second]);
}

function shared<T>(list: () => Promise<T[]>, nowMs: () => number): () => Promise<Listed<T>> {
  let latest: { at: number; answer: Promise<Listed<T>> } | null = null;
  return () => {
    const at = nowMs();
    if (latest && at - latest.at < FRESH_MS) return latest.answer;
    const asked = { at, answer: impatient(list).then((items) => ({ at, items })) };
    latest = asked;
    asked.answer.catch(() => {
      if (latest === asked) latest = null;
    });
    return asked.answer;
  };
}

/** `nowMs` is in ms since 1970. */
export const viewAccount = (api: ElementoApi, nowMs: () => number): AccountView => ({
  vms: shared(() => api.listVms(), nowMs),
  volumes: shared(() => api.listVolumes(), nowMs),
  networks: shared(() => api.listNetworks(), nowMs),
  clusters: shared(() => api.listClusters(), nowMs),
});
