import type { IncomingMessage } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";

/**
 * Returns what ends the connections that no request came on. API servers open some in advance, and a server that closes takes them for
 * busy until their headers time out, after a minute or more: longer than a Pod has to end.
 */
export function closeUnused(server: Server): () => void {
  const unused = new Set<Socket>();
  server.on("secureConnection", (socket: Socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.prependListener("request", ({ socket }: IncomingMessage) => unused.delete(socket));
  return () => {
    for (const socket of unused) socket.destroy();
  };
}
