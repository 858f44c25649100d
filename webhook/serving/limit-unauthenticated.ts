import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { limitSources, type SourceLimit } from "../authentication/limit-sources.ts";
import { openGate, sourceOf } from "../../src/cluster/service/connection-gate.ts";
import type { ListenerLimits } from "../../src/cluster/service/guard-listener.ts";
import { createSocketPool } from "../../src/cluster/service/socket-pool.ts";

/** Connections before the end of their handshake. */
const HANDSHAKES = 512;
/** Each connection takes about 70 KiB. */
const LIMITS = {
  /** Only probes, metrics and a registry's webhook come without the API server's certificate. */
  closing: { all: 512, perAddress: 64 },
  /** More than one address may have requests underway. */
  keeping: { all: 2048, perAddress: 640 },
} as const;
/**
 * New connections of an address from which the API server did not come: each costs the main thread up to 1.5 ms. An API server that
 * comes for the first time may begin with many at once.
 */
const NEW = { perSecond: 100, atOnce: 640 } as const;
const MIB = 1024 * 1024;
/**
 * The rates of an address without the API server's certificate or token. In the second case it may be the API server itself, which
 * sends neither so many reviews nor so many bytes: it handles 200 changes at the same time.
 */
export const LISTENER_LIMITS: Readonly<Record<keyof typeof LIMITS, ListenerLimits>> = {
  closing: { connections: null, requests: { perSecond: 50, atOnce: 500 }, bytes: { perSecond: MIB, atOnce: 8 * MIB } },
  keeping: {
    connections: null,
    requests: { perSecond: 1000, atOnce: 4000 },
    bytes: { perSecond: 64 * MIB, atOnce: 512 * MIB },
  },
};
/** An address from which the API server came is known for so long after its last connection, in ms. */
const KNOWN_MS = 600_000;
/** A connection that is closed after its request has to send it within this time, in ms. */
const FIRST_REQUEST_MS = 10_000;

export interface UnauthenticatedOptions {
  /** Whether the peer showed the API server's certificate. */
  isKnown: (socket: TLSSocket) => boolean;
  /** Whether the API server may come without a certificate: then connections stay open for further requests. */
  keepAlive: boolean;
}

export interface UnauthenticatedLimit {
  /** Takes a connection out of the limits: its peer showed a token of the API server. */
  trust: (socket: Socket) => void;
  /** Ends the connections without a finished handshake. */
  end: () => void;
}

/** How many connections of authenticated peers each address has, or had lately. */
function countAddresses() {
  const counts = new Map<string, number>();
  const change = (address: string, by: number): void => {
    const count = (counts.get(address) ?? 0) + by;
    if (count > 0) counts.set(address, count);
    else counts.delete(address);
  };
  return {
    has: (address: string) => counts.has(address),
    add(socket: Socket): void {
      const { remoteAddress: address = "" } = socket;
      change(address, 1);
      socket.once("close", () => {
        setTimeout(() => {
          change(address, -1);
        }, KNOWN_MS).unref();
      });
    },
  };
}

function endWithoutRequest(socket: TLSSocket, requested: WeakSet<Duplex>): void {
  const timer = setTimeout(() => {
    if (!requested.has(socket)) socket.destroy();
  }, FIRST_REQUEST_MS).unref();
  socket.once("close", () => {
    clearTimeout(timer);
  });
}

function isWithin(rate: SourceLimit, address: string): boolean {
  try {
    rate.count(address);
    return true;
  } catch {
    return false;
  }
}

/**
 * Limits the connections of unauthenticated peers, in all and for each address, and how fast an address opens them. Those of the API server are neither
 * counted nor ended, once the handshake or a token shows it; before, those of an address from which it came already are ended last.
 */
export function limitUnauthenticated(
  server: Server,
  { isKnown, keepAlive }: UnauthenticatedOptions,
): UnauthenticatedLimit {
  const known = countAddresses();
  const handshakes = createSocketPool({ all: HANDSHAKES, perAddress: HANDSHAKES, spare: known.has });
  const unauthenticated = createSocketPool(keepAlive ? LIMITS.keeping : LIMITS.closing);
  const requested = new WeakSet<Duplex>();
  const rate = limitSources(NEW.perSecond, () => performance.now(), NEW.atOnce);

  server.on("connection", (socket: Socket) => {
    const { remoteAddress: address = "" } = socket;
    if (known.has(address) || isWithin(rate, address)) handshakes.add(socket);
    else socket.destroy();
  });
  server.on("secureConnection", (socket: TLSSocket) => {
    handshakes.remove(socket);
    if (isKnown(socket)) {
      known.add(socket);
      return;
    }
    unauthenticated.add(socket);
    if (!keepAlive) endWithoutRequest(socket, requested);
  });
  // Before the request is handled.
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (!unauthenticated.use(socket) || keepAlive) return;
    requested.add(sourceOf(socket));
    response.setHeader("connection", "close");
  });
  return {
    trust(socket) {
      openGate(socket);
      if (unauthenticated.remove(socket)) known.add(socket);
    },
    end: handshakes.end,
  };
}
