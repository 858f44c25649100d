import type { Server, Socket } from "node:net";

export interface SocketLimits {
  all: number;
  perAddress: number;
  /** Addresses whose sockets are ended last. */
  spare?: (address: string) => boolean;
}

/** Open sockets, of which it ends those that were not used for the longest time. */
export interface SocketPool {
  add: (socket: Socket) => void;
  /** Marks as used; false for a socket that is not in the pool. */
  use: (socket: Socket) => boolean;
  /** Takes out without an end; false for a socket that is not in the pool. A socket over another one has the same place. */
  remove: (socket: Socket) => boolean;
  end: () => void;
}

/** By address and port of the peer, those used last at the end. */
type Open = Map<string, Map<number, Socket>>;

/** The address that has the most sockets, of those that are not spared if there are any. */
function mostOf(open: Open, spare: (address: string) => boolean): string {
  let best = { address: "", rank: 0 };
  for (const [address, { size }] of open) {
    // A spared one ranks below all others.
    const rank = spare(address) ? 1 - 1 / (size + 1) : size;
    if (rank > best.rank) best = { address, rank };
  }
  return best.address;
}

/**
 * Holds a limited number of sockets. One too many ends the least recently used of its own address, or of the address that has the
 * most, so that who holds many keeps out no one else.
 */
export function createSocketPool({ all, perAddress, spare = () => false }: SocketLimits): SocketPool {
  const open: Open = new Map();
  let count = 0;

  function removeAt(address: string, port: number): Socket | null {
    const sockets = open.get(address);
    const socket = sockets?.get(port);
    if (sockets === undefined || socket === undefined) return null;
    sockets.delete(port);
    if (sockets.size === 0) open.delete(address);
    count -= 1;
    return socket;
  }

  function insert(address: string, port: number, socket: Socket): void {
    const sockets = open.get(address) ?? new Map<number, Socket>();
    open.set(address, sockets.set(port, socket));
    count += 1;
  }

  /** Immediately: it would be chosen again until its event arrives. */
  function endOldest(address: string): void {
    for (const port of open.get(address)?.keys() ?? []) {
      removeAt(address, port)?.destroy();
      return;
    }
  }

  const remove = ({ remoteAddress = "", remotePort = 0 }: Socket): Socket | null => removeAt(remoteAddress, remotePort);

  return {
    add(socket) {
      const { remoteAddress: address = "", remotePort: port = 0 } = socket;
      removeAt(address, port)?.destroy();
      insert(address, port, socket);
      socket.once("close", () => {
        if (open.get(address)?.get(port) === socket) removeAt(address, port);
      });
      if ((open.get(address)?.size ?? 0) > perAddress) endOldest(address);
      if (count > all) endOldest(mostOf(open, spare));
    },
    use(socket) {
      const known = remove(socket);
      if (known !== null) insert(socket.remoteAddress ?? "", socket.remotePort ?? 0, known);
      return known !== null;
    },
    remove: (socket) => remove(socket) !== null,
    end() {
      for (const sockets of open.values()) for (const socket of sockets.values()) socket.destroy();
    },
  };
}

/**
 * Keeps a server from more than `limit` connections. A new one ends the oldest of the address that has the most, so that who holds
 * many without a request keeps out no one else. Returns a function that ends all.
 */
export function limitConnections(server: Server, limit: number): () => void {
  const pool = createSocketPool({ all: limit, perAddress: limit });
  server.on("connection", pool.add);
  return pool.end;
}
