import { LandfallError } from "../../src/errors.ts";

/** Limits of concurrent requests of one address. */
const UNDERWAY = { requests: 512, characters: 16 * 1024 * 1024 };
/** A body counts as one review more for each of these characters: receiving, scanning and parsing it take as long. */
const PER_REVIEW = 64 * 1024;
/** An address that was quiet for so long is forgotten, in ms: its allowance is full again. */
const FORGOTTEN_MS = 10_000;

/** Limits unauthenticated callers, by their address. */
export interface SourceLimit {
  /** Begins a request with a body of this size, and counts large bodies; call what it returns when it is answered. Throws ADM_SOURCE_BUSY. */
  enter(source: string, characters: number): () => void;
  /** Counts a review. Throws ADM_SOURCE_BUSY. */
  count(source: string): void;
}

interface Source {
  requests: number;
  characters: number;
  /** Reviews that may come at the same time. */
  allowance: number;
  at: number;
}

/** `perSecond`: reviews of one address; `burst` may come together after a pause, by default twice as many. */
export function limitSources(perSecond: number, nowMs: () => number, burst = perSecond * 2): SourceLimit {
  const sources = new Map<string, Source>();

  function forget(): void {
    for (const [address, { requests, at }] of sources) {
      if (requests === 0 && nowMs() - at > FORGOTTEN_MS) sources.delete(address);
      // In the order of their last use.
      else break;
    }
  }

  function use(address: string): Source {
    forget();
    const source = sources.get(address) ?? { requests: 0, characters: 0, allowance: burst, at: nowMs() };
    sources.delete(address);
    sources.set(address, source);
    source.allowance = Math.min(burst, source.allowance + ((nowMs() - source.at) / 1000) * perSecond);
    source.at = nowMs();
    return source;
  }

  const busy = (address: string, detail: string): LandfallError =>
    new LandfallError("ADM_SOURCE_BUSY", { address, detail });

  return {
    enter(address, characters) {
      const source = use(address);
      if (source.requests >= UNDERWAY.requests || source.characters + characters > UNDERWAY.characters)
        throw busy(address, `it has ${String(source.requests)} requests underway`);
      const reviews = Math.floor(characters / PER_REVIEW);
      if (reviews > 0 && source.allowance < 1) throw busy(address, `${String(perSecond)} times 64 KiB per second are`);
      // One body may be larger than the allowance: the next ones wait until that is made up for.
      source.allowance -= reviews;
      source.requests += 1;
      source.characters += characters;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        source.requests -= 1;
        source.characters -= characters;
      };
    },
    count(address) {
      const source = use(address);
      if (source.allowance < 1) throw busy(address, `${String(perSecond)} requests per second are`);
      source.allowance -= 1;
    },
  };
}
