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

/** The amounts that each address may take in a time. What is more than `atOnce` is taken from a full allowance. */
export interface AddressRate {
  /** How many ms an address has to wait before it may take this much; 0: it may. */
  waitOf: (address: string, amount: number) => number;
  take: (address: string, amount: number) => void;
}

export function createAddressRate({ perSecond, atOnce }: Rate, nowMs = () => performance.now()): AddressRate {
  /** In the order of their last use. */
  const addresses = new Map<string, Allowance>();

  function forget(): void {
    for (const [address, { at }] of addresses) {
      if (nowMs() - at <= FORGOTTEN_MS) return;
      addresses.delete(address);
    }
  }

  function allowed(address: string): number {
    const { left, at } = addresses.get(address) ?? { left: atOnce, at: nowMs() };
    return Math.min(atOnce, left + ((nowMs() - at) / 1000) * perSecond);
  }

  return {
    waitOf: (address, amount) =>
      Math.max(0, Math.ceil(((Math.min(amount, atOnce) - allowed(address)) / perSecond) * 1000)),
    take(address, amount) {
      forget();
      const left = allowed(address) - amount;
      addresses.delete(address);
      addresses.set(address, { left, at: nowMs() });
    },
  };
}

export interface RequestRates {
  requests: Rate;
  bytes: Rate;
}

/** Makes what an address sends wait while it sends faster than these rates. What waits takes nothing of them. */
export function waitForRates({ requests, bytes }: RequestRates, nowMs = () => performance.now()): WaitFor {
  const [ofRequests, ofBytes] = [createAddressRate(requests, nowMs), createAddressRate(bytes, nowMs)];
  return (address, length, isFirst) => {
    const wait = Math.max(isFirst ? ofRequests.waitOf(address, 1) : 0, ofBytes.waitOf(address, length));
    if (wait > 0) return wait;
    if (isFirst) ofRequests.take(address, 1);
    ofBytes.take(address, length);
    return 0;
  };
}
