import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { createSocketPool } from "../../../src/cluster/service/socket-pool.ts";

const ended: string[] = [];

function socketOf(remoteAddress: string, remotePort: number): Socket {
  const socket = Object.assign(new EventEmitter(), {
    remoteAddress,
    remotePort,
    destroy: () => void ended.push(`${remoteAddress}:${String(remotePort)}`),
  });
  return socket as unknown as Socket;
}

function filled(pool: ReturnType<typeof createSocketPool>, sockets: readonly [string, number][]): Socket[] {
  ended.length = 0;
  const made = sockets.map(([address, port]) => socketOf(address, port));
  for (const socket of made) pool.add(socket);
  return made;
}

it("ends the least recently used of an address that has too many", () => {
  const pool = createSocketPool({ all: 10, perAddress: 2 });
  const [first] = filled(pool, [
    ["a", 1],
    ["a", 2],
    ["b", 1],
  ] as [string, number][]);
  expect(first && pool.use(first)).toBe(true);
  pool.add(socketOf("a", 3));
  expect(ended).toEqual(["a:2"]);
});

it("ends one of the address that has the most, if there are too many in all", () => {
  const pool = createSocketPool({ all: 4, perAddress: 4 });
  filled(pool, [
    ["b", 1],
    ["a", 1],
    ["a", 2],
    ["a", 3],
    ["c", 1],
  ] as [string, number][]);
  expect(ended).toEqual(["a:1"]);
});

it("ends those of spared addresses last", () => {
  const pool = createSocketPool({ all: 3, perAddress: 3, spare: (address) => address === "a" });
  filled(pool, [
    ["b", 1],
    ["a", 1],
    ["a", 2],
    ["a", 3],
    ["a", 4],
  ] as [string, number][]);
  expect(ended).toEqual(["b:1", "a:1"]);
});

it("neither counts nor ends what was removed or closed", () => {
  const pool = createSocketPool({ all: 2, perAddress: 2 });
  const [first, second] = filled(pool, [
    ["a", 1],
    ["a", 2],
  ] as [string, number][]);
  expect(pool.remove(socketOf("a", 1))).toBe(true);
  second?.emit("close");
  expect(first && pool.use(first)).toBe(false);
  for (const port of [3, 4]) pool.add(socketOf("a", port));
  expect(ended).toEqual([]);
});

it("holds one socket for each peer, also if the close of the one before comes late", () => {
  const pool = createSocketPool({ all: 2, perAddress: 2 });
  const [before] = filled(pool, [
    ["a", 1],
    ["a", 1],
    ["b", 1],
  ] as [string, number][]);
  expect(ended).toEqual(["a:1"]);
  before?.emit("close");
  pool.end();
  expect(ended).toEqual(["a:1", "a:1", "b:1"]);
});
