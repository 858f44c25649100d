import { LandfallError } from "../../src/errors.ts";
import type { Caller } from "../../src/model/caller.ts";
import type { Reply, ReviewPath } from "../review/answer-review.ts";

/** A request as it came. */
export interface FatalRequest {
  path: ReviewPath;
  body: string;
  /** Omitted if it was authenticated. */
  caller?: Caller;
}

/** A request that waits for the process that decides. */
export interface Pending extends FatalRequest {
  resolve: (reply: Reply) => void;
  reject: (error: LandfallError) => void;
  since: number;
  namespace: string;
  user: string;
  /** It was answered already, because it waited too long. */
  expired: boolean;
}

export const busy = (): LandfallError => new LandfallError("ADM_BUSY", { scope: "of this cluster" });

/** Refuses the requests that were asked before `asked` (ms). The process continues: it is slow, but it does not hang. */
export function expire(all: readonly Pending[], asked: number): void {
  for (const one of all) {
    if (one.expired || one.since > asked) continue;
    one.expired = true;
    one.reject(busy());
  }
}
