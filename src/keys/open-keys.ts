import type { KeyRing } from "../model/decision-annotation/key-ring.ts";
import { type KeyEntry, type KeyErrorCode, keysAmong, ringAt } from "./key-entries.ts";

export interface KeyOptions {
  /** Reads the stored keys; null if there is nothing yet. */
  read: () => Promise<readonly KeyEntry[] | null>;
  /** For messages. */
  where: string;
  code: KeyErrorCode;
  /** Seconds since 1970. */
  nowSeconds: () => number;
  /** The keys could not be read again; the known ones stay. */
  onFailure: (thrown: unknown) => void;
  /** Milliseconds between two readings. */
  everyMs?: number;
}

/** The signing keys of a process, which follow what is stored. */
export interface Keys {
  ring(): KeyRing;
  /** Called with each ring that differs from the one before. */
  subscribe(onChange: (ring: KeyRing) => void): void;
  stop(): void;
}

const same = (one: KeyRing, other: KeyRing): boolean =>
  one.length === other.length && one.every(({ id }, index) => id === other[index]?.id);

/** Reads the keys, and again at intervals. Throws `code` if there is none, or if one is too short. */
export async function openKeys(options: KeyOptions): Promise<Keys> {
  const { where, code, nowSeconds, onFailure, everyMs = 5000 } = options;
  const read = async (): Promise<KeyRing> => ringAt(keysAmong((await options.read()) ?? [], where, code), nowSeconds());
  let ring = await read();
  const listeners: ((ring: KeyRing) => void)[] = [];
  const timer = setInterval(() => {
    read()
      .then((present) => {
        if (same(ring, present)) return;
        ring = present;
        for (const onChange of listeners) onChange(ring);
      })
      .catch(onFailure);
  }, everyMs);
  timer.unref();
  return {
    ring: () => ring,
    subscribe: (onChange) => void listeners.push(onChange),
    stop: () => clearInterval(timer),
  };
}
