import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createAddressRate, type Rate, waitForRates } from "./address-rates.ts";
import { ConnectionGate } from "./connection-gate.ts";

/** The rates of each address. */
export interface ListenerLimits {
  /** How fast it opens connections: one too many is ended. Null for no limit. */
  connections: Rate | null;
  /** How fast its requests and bytes are read: more waits. */
  requests: Rate;
  bytes: Rate;
}

export interface GuardOptions {
  /** That of the server's connections as its parser takes them: `secureConnection` for TLS. */
  event: "connection" | "secureConnection";
  limits: ListenerLimits;
  /** How long a request of a peer that is not authenticated may take to arrive, in ms. */
  requestMs?: number;
  /** Whether this peer is authenticated, and needs no gate; none is by default. */
  isTrusted?: (socket: Socket) => boolean;
}

const REQUEST_MS = 20_000;

/**
 * Puts a gate with the limits of its address before the parser of each connection of a server that anyone can reach. Call it before
 * anything else listens to the server's connections.
 */
export function guardListener(server: Server, options: GuardOptions): void {
  const { event, limits, requestMs = REQUEST_MS, isTrusted = () => false } = options;
  const { connections, ...rates } = limits;
  const waitFor = waitForRates(rates);
  // Node's own listener takes any Duplex.
  const parsers = server.listeners(event) as ((socket: Duplex) => void)[];
  server.removeAllListeners(event);
  server.on(event, (socket: Socket) => {
    const gate = isTrusted(socket) ? null : new ConnectionGate(socket, waitFor);
    for (const parse of parsers) parse.call(server, gate ?? socket);
    gate?.follow();
  });
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const socket: Duplex = request.socket;
    if (socket instanceof ConnectionGate) socket.began(request, response, requestMs);
  });
  if (connections === null) return;
  const rate = createAddressRate(connections);
  server.on("connection", (socket: Socket) => {
    const { remoteAddress: address = "" } = socket;
    if (rate.waitOf(address, 1) > 0) socket.destroy();
    else rate.take(address, 1);
  });
}
