import type { Backoff, Phase, Shutdown, Subject } from "./types.ts";

/** How much faster the operators' own intervals pass than real ones, at speed 1: a look every ten hours comes every ten minutes. */
const PACE = 60;
/** Attempts come no closer than this, however short an operator's first pauses are. */
const SHORTEST_MS = 200;

const uidOf = ({ resource }: Subject): string => resource.metadata.uid;

/** How this machine ends; null for one that does not, or that is not there. */
const endOf = ({ resource, rule, family }: Subject): Shutdown | null =>
  family.exists(resource) ? (rule.shutdown?.(resource) ?? null) : null;

/** The refusal of a machine that its operator wants to create again; null where it can, or does not want to. */
export const refusedAgain = (end: Shutdown | null): Phase | null =>
  end?.again?.refusal ? { name: "refused", refusal: end.again.refusal } : null;

/**
 * When the end of a machine is seen: not when it happens, but when its operator looks at it. Times are in milliseconds since 1970, and
 * kept by uid.
 */
export class MachineEnds {
  readonly #ready = new Map<string, number>();
  readonly #looked = new Map<string, number>();
  readonly #speed: number;

  constructor(speed: number) {
    this.#speed = speed;
  }

  /** Its operator has looked at it. `starts`: and has created it, or started it again. */
  looked(uid: string, starts: boolean, nowMs: number): void {
    if (starts) this.#ready.set(uid, nowMs);
    this.#looked.set(uid, nowMs);
  }

  forget(uid: string): void {
    this.#ready.delete(uid);
    this.#looked.delete(uid);
  }

  /** The end that its operator sees if it looks now; null for a machine that runs. */
  seen(subject: Subject, nowMs: number): Shutdown | null {
    const end = endOf(subject);
    const ready = this.#ready.get(uidOf(subject));
    const isOver = end !== null && ready !== undefined && ready + (end.seconds * 1000) / this.#speed <= nowMs;
    return isOver ? end : null;
  }

  /** Milliseconds until its operator looks and sees the end; null for a machine without one. */
  left(subject: Subject, nowMs: number): number | null {
    const [end, uid] = [endOf(subject), uidOf(subject)];
    if (end === null) return null;
    if (!this.#ready.has(uid)) this.#ready.set(uid, nowMs);
    const ready = this.#ready.get(uid) ?? nowMs;
    const looked = this.#looked.get(uid) ?? ready;
    const everyMs = (subject.family.looksEvery(subject.resource) * 1000) / PACE / this.#speed;
    const looks = Math.max(1, Math.ceil((ready + (end.seconds * 1000) / this.#speed - looked) / everyMs));
    return Math.max(0, looked + looks * everyMs - nowMs);
  }
}

/** When operators try again what their providers refused. Times are in milliseconds since 1970, and kept by uid. */
export class Retries {
  readonly #failed = new Map<string, { times: number; dueAt: number }>();
  readonly #speed: number;

  constructor(speed: number) {
    this.#speed = speed;
  }

  /** How often in a row it was refused. */
  times(uid: string): number {
    return this.#failed.get(uid)?.times ?? 0;
  }

  /** Another refusal: the pause doubles. */
  failed(uid: string, { firstSeconds, longestSeconds }: Backoff, nowMs: number): void {
    const times = this.times(uid) + 1;
    const seconds = Math.min(longestSeconds, firstSeconds * 2 ** (times - 1));
    this.#failed.set(uid, { times, dueAt: nowMs + Math.max(SHORTEST_MS, (seconds * 1000) / PACE / this.#speed) });
  }

  /** It succeeded, or is gone: the next refusal is the first again. */
  forget(uid: string): void {
    this.#failed.delete(uid);
  }

  /** Milliseconds until the next attempt; null for one that was not refused. */
  left(uid: string, nowMs: number): number | null {
    const failed = this.#failed.get(uid);
    return failed === undefined ? null : Math.max(0, failed.dueAt - nowMs);
  }
}
