import { EventEmitter } from "node:events";
import type { Server } from "node:https";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limitUnauthenticated } from "../../../../../webhook/serving/limit-unauthenticated.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;
  destroyed = false;
  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }
  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

/** A server to which peers connect; those with the API server's certificate come from `known`. */
function server(known: string) {
  const events = new EventEmitter();
  let port = 0;
  const isKnown = ({ remoteAddress }: { remoteAddress?: string | undefined }): boolean => remoteAddress === known;
  limitUnauthenticated(events as Server, { isKnown, keepAlive: false });
  /** Whether the handshake of a connection from this address begins; it ends at once. */
  const connects = (address: string): boolean => {
    const socket = new FakeSocket(address, ++port);
    events.emit("connection", socket);
    if (socket.destroyed) return false;
    events.emit("secureConnection", socket);
    socket.destroy();
    return true;
  };
  const accepted = (address: string, count: number): number =>
    Array.from({ length: count }, () => connects(address)).filter(Boolean).length;
  return { accepted };
}

describe("80: handshakes of peers that nobody authenticated", () => {
  it("are as many as an API server needs at once, then 100 in a second for each address", async () => {
    const { accepted } = server("10.0.0.1");
    expect(accepted("10.0.0.9", 2000)).toBe(640);
    expect(accepted("10.0.0.8", 100)).toBe(100);
    await vi.advanceTimersByTimeAsync(1000);
    expect(accepted("10.0.0.9", 2000)).toBe(100);
  });

  it("are not limited for an address from which the API server came, until it stays away for ten minutes", async () => {
    const { accepted } = server("10.0.0.1");
    expect(accepted("10.0.0.1", 3000)).toBe(3000);
    await vi.advanceTimersByTimeAsync(599_000);
    expect(accepted("10.0.0.1", 3000)).toBe(3000);
    await vi.advanceTimersByTimeAsync(601_000);
    // The first one of them shows the certificate again.
    expect(accepted("10.0.0.1", 700)).toBe(700);
  });
});
