import type { Server, Socket } from "node:net";

/** The open connections by address, oldest first. */
type Open = Map<string, Set<Socket>>;

/** The address that has the most connections, and its oldest one. */
function oldestOfMost(open: Open): [string, Socket | undefined] {
  let [from, most] = ["", new Set<Socket>()];
  for (const [address, sockets] of open) if (sockets.size > most.size) [from, most] = [address, sockets];
  const [oldest] = most;
  return [from, oldest];
}

/**
 * Keeps a server from more than `limit` connections. A new one ends the oldest of the address that has the most, so that who holds
 * many without a request keeps out nobody else. Returns a function that ends all.
 */
export function limitConnections(server: Server, limit: number): () => void {
  const open: Open = new Map();
  let count = 0;

  function add(address: string, socket: Socket): void {
    const sockets = open.get(address) ?? new Set();
    open.set(address, sockets.add(socket));
    count += 1;
  }

  function remove(address: string, socket: Socket): void {
    const sockets = open.get(address);
    if (sockets?.delete(socket) !== true) return;
    if (sockets.size === 0) open.delete(address);
    count -= 1;
  }

  server.on("connection", (socket: Socket) => {
    const { remoteAddress: address = "" } = socket;
    add(address, socket);
    socket.once("close", () => {
      remove(address, socket);
    });
    if (count <= limit) return;
    const [from, oldest] = oldestOfMost(open);
    if (oldest === undefined) return;
    // At once: it would be chosen again until its event arrives.
    remove(from, oldest);
    oldest.destroy();
  });
  return () => {
    for (const sockets of open.values()) for (const socket of sockets) socket.destroy();
  };
}
