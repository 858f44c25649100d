import type { WaitFor } from "./connection-gate.ts";

/** An address that was quiet for so long is forgotten, in ms. Its allowance has to be full again by then. */
const FORGOTTEN_MS = 20_000;

export interface Rate {
  perSecond: number;
  /** The amount that may come together after a pause: at most as much as comes in 20 s. */
  atOnce: number;
}

interface Allowance {
  left: number;
  at: number;
}

/** How many ms an address has to wait before it may take this much; 0: it took it. What is more than `atOnce` is taken from a full allowance. */
export type TakeRate = (address: string, amount: number) => number;

/** Limits what each address takes in a time. */
export function createAddressRate({ perSecond, atOnce }: Rate, nowMs = () => performance.now()): TakeRate {
  /** In the order of their last use. */
  const addresses = new Map<string, Allowance>();

  function forget(): void {
    for (const [address, { at }] of addresses) {
      if (nowMs() - at <= FORGOTTEN_MS) return;
      addresses.delete(address);
    }
  }

  return (address, amount) => {
    forget();
    const now = nowMs();
    const { left, at } = addresses.get(address) ?? { left: atOnce, at: now };
    const allowed = Math.min(atOnce, left + ((now - at) / 1000) * perSecond);
    const needed = Math.min(amount, atOnce);
    const isEnough = allowed >= needed;
    addresses.delete(address);
    addresses.set(address, { left: isEnough ? allowed - amount : allowed, at: now });
    return isEnough ? 0 : Math.ceil(((needed - allowed) / perSecond) * 1000);
  };
}

export interface RequestRates {
  requests: Rate;
  bytes: Rate;
}

/** Makes what an address sends wait while it sends faster than these rates. */
export function waitForRates({ requests, bytes }: RequestRates, nowMs = () => performance.now()): WaitFor {
  const takeRequest = createAddressRate(requests, nowMs);
  const takeBytes = createAddressRate(bytes, nowMs);
  return (address, length, isFirst) => {
    const wait = isFirst ? takeRequest(address, 1) : 0;
    return wait > 0 ? wait : takeBytes(address, length);
  };
}
