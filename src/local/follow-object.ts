import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "./connect-api.ts";
import { outcomeOf, readyCondition } from "./outcome-of.ts";
import type { Composition } from "./outcome-of.ts";

const EVERY_MS = 250;

export interface Follow {
  api: Api;
  path: string;
  object: Composition;
  expected: string[];
  /** Milliseconds since 1970 after which it counts as not settled. */
  until: number;
  /** Hears what the object says about its state, once per change. */
  onProgress(message: string): void;
}

export interface Settled {
  outcome: string;
  object: Composition;
}

/** Follows an object until it has ended as something, or the time is over (`Pending: …`). */
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
    const answer = await follow.api.request(follow.path);
    if (answer.status < 300) object = answer.body as unknown as Composition;
  }
}
