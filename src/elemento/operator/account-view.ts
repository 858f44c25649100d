import { setTimeout as sleep } from "node:timers/promises";
import type { ElementoApi } from "../api/elemento-api.ts";
import type { Cluster, Network, Vm, Volume } from "../api/types.ts";

/** A list, and when it was asked for (ms since 1970): what was made later cannot be in it. */
export interface Listed<T> {
  readonly at: number;
  readonly items: readonly T[];
}

/** What an account has, asked for once for all objects that look within the same moment. */
export interface AccountView {
  vms(): Promise<Listed<Vm>>;
  volumes(): Promise<Listed<Volume>>;
  networks(): Promise<Listed<Network>>;
  clusters(): Promise<Listed<Cluster>>;
}

/** How old a list may be, in ms: Elemento has no call for one machine, and so one list serves all. */
const FRESH_MS = 700;

/** A list that takes longer, in ms, is asked for once more: all objects of the account wait for it. */
const SLOW_MS = 2000;

async function impatient<T>(list: () => Promise<T[]>): Promise<T[]> {
  let settled = false;
  const first = list().finally(() => {
    settled = true;
  });
  const second = sleep(SLOW_MS, undefined, { ref: false }).then(() => (settled ? first : list()));
  second.catch(() => undefined);
  // The first one's failure is an answer too; its silence is not.
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

/** `now` is in ms since 1970. */
export const viewAccount = (api: ElementoApi, nowMs: () => number): AccountView => ({
  vms: shared(() => api.listVms(), nowMs),
  volumes: shared(() => api.listVolumes(), nowMs),
  networks: shared(() => api.listNetworks(), nowMs),
  clusters: shared(() => api.listClusters(), nowMs),
});
