import type { Server } from "node:net";
import { createSocketPool } from "./socket-pool.ts";

/**
 * Keeps a server from more than `limit` connections. A new one ends the oldest of the address that has the most, so that who holds
 * many without a request keeps out no one else. Returns a function that ends all.
 */
export function limitConnections(server: Server, limit: number): () => void {
  const pool = createSocketPool({ all: limit, perAddress: limit });
  server.on("connection", pool.add);
  return pool.end;
}
