import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { sourceOf } from "../../src/cluster/service/connection-gate.ts";

/** A peer has this long to close its end of a connection, or to finish its handshake, in ms. */
export const GRACE_MS = 2000;
/** Requests that came before the end are answered by then, in ms: an API server waits for 10 s. */
const ANSWERED_MS = 12_000;

/** Ends the connections of a server so that no request is lost. */
export interface Drain {
  /** Connects it to the server, once. */
  follow(server: TlsServer): void;
  /** From now on every answer asks its client to close the connection. Requests are answered as before. */
  begin(): void;
  hasBegun(): boolean;
  /** Ends the connections that no request is on, and waits until their peers have done so, too. The others end with their answers. */
  endIdle(): Promise<void>;
}

/**
 * An API server sends each review once. If it takes a connection from its pool at the moment at which the server closes it, the admission
 * fails: Go repeats no POST of which a byte was written (net/http, `shouldRetryRequest`). So connections that are in use end by an answer
 * with `Connection: close`, which tells the client first. Those that nothing came on for all this time get a FIN. A reset (RST) would also
 * destroy what is on its way.
 */
export function drainConnections(): Drain {
  const open = new Set<Socket>();
  const underway = new Map<Duplex, ServerResponse>();
  let server: Pick<Server, "closeAllConnections"> | null = null;
  let hasBegun = false;

  const endWithAnswer = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader("connection", "close");
  };

  const unused = (): Socket[] => [...open].filter((socket) => !underway.has(socket));

  return {
    follow(followed) {
      server = followed;
      followed.on("secureConnection", (socket: Socket) => {
        open.add(socket);
        socket.once("close", () => open.delete(socket));
      });
      followed.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
        const socket = sourceOf(request.socket);
        underway.set(socket, response);
        response.once("close", () => {
          if (underway.get(socket) === response) underway.delete(socket);
        });
        if (hasBegun) endWithAnswer(response);
      });
    },
    begin() {
      hasBegun = true;
      for (const response of underway.values()) endWithAnswer(response);
    },
    hasBegun: () => hasBegun,
    async endIdle() {
      const idle = unused();
      for (const socket of idle) socket.end();
      const closed = idle.map((socket) => new Promise((resolve) => void socket.once("close", resolve)));
      await Promise.race([Promise.all(closed), sleep(GRACE_MS, undefined, { ref: false })]);
      for (const socket of idle) socket.destroy();
      // Those whose handshake was underway.
      setTimeout(() => {
        for (const socket of unused()) socket.destroy();
      }, GRACE_MS).unref();
      // A request that takes longer would keep the process from its end.
      setTimeout(() => server?.closeAllConnections(), ANSWERED_MS).unref();
    },
  };
}
