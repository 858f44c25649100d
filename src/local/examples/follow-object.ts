import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../cluster/api-error.ts";
import type { KubeClient } from "../../cluster/create-client.ts";
import { outcomeOf, readyCondition } from "./outcome-of.ts";
import type { Composition } from "./outcome-of.ts";

const EVERY_MS = 250;

export interface Follow {
  client: KubeClient;
  path: string;
  object: Composition;
  expected: string[];
  /** Milliseconds since 1970 after which it counts as not settled. */
  until: number;
  /** Called once for each new message of the Ready condition. */
  onProgress(message: string): void;
}

export interface Settled {
  outcome: string;
  object: Composition;
}

/** An error answer is no change of the object; a lost API server ends the run. */
function ifRefused(thrown: unknown): null {
  if (thrown instanceof ApiError && thrown.status > 0) return null;
  throw thrown;
}

/** Follows an object until it has an outcome, or the time is over (`Pending: …`). */
export async function followObject(follow: Follow): Promise<Settled> {
  let { object } = follow;
  let said = "";
  for (;;) {
    const outcome = outcomeOf(object, follow.expected, Date.now());
    if (outcome !== null) return { outcome, object };
    const message = readyCondition(object)?.message ?? "";
    if (Date.now() > follow.until) return { outcome: `Pending: ${message || "no condition yet"}`, object };
    if (message !== said) follow.onProgress(message);
    said = message;
    await sleep(EVERY_MS);
    object = (await follow.client.get<Composition>(follow.path).catch(ifRefused)) ?? object;
  }
}
