// A network namespace for one process, with a cable to this machine that can be cut: packets are lost, and nobody is told.
import { spawn } from "node:child_process";
import { connect, createServer, type Server } from "node:net";
import { fileURLToPath } from "node:url";
import { joinSockets } from "../processes/join-sockets.ts";
import { ip } from "./as-root.ts";

/** Nobody has this hardware address. */
const NOBODY = "02:00:00:00:00:01";

export interface OwnNetwork {
  /** Runs a command in it. */
  by: readonly [string, ...string[]];
  /** The addresses of this machine and of the process. */
  outside: string;
  inside: string;
  /** Makes a port of this machine's 127.0.0.1 one of the namespace's, too. */
  relay(port: number): void;
  cut(): void;
  mend(): void;
  remove(): void;
}

const PASS_ON = fileURLToPath(new URL("pass-on.ts", import.meta.url));

/** Makes a namespace. Throws what is needed for it without the rights. */
export function makeNetwork(): OwnNetwork {
  const id = String(process.pid);
  const [name, here, there] = [`landfall-${id}`, `lf${id}a`, `lf${id}b`];
  const third = String(process.pid % 250);
  const [outside, inside] = [`10.231.${third}.1`, `10.231.${third}.2`];
  ip("netns", "add", name);
  ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name);
  ip("address", "add", `${outside}/30`, "dev", here);
  ip("link", "set", here, "up");
  ip("-n", name, "address", "add", `${inside}/30`, "dev", there);
  ip("-n", name, "link", "set", there, "up");
  ip("-n", name, "link", "set", "lo", "up");
  const by = ["ip", "netns", "exec", name] as const;
  const servers: Server[] = [];
  const children: ReturnType<typeof spawn>[] = [];
  return {
    ...{ by, outside, inside },
    relay(port) {
      const server = createServer((socket) => joinSockets(socket, connect(port, "127.0.0.1")));
      servers.push(server.listen(port, outside));
      const [command, ...args] = by;
      children.push(spawn(command, [...args, process.execPath, PASS_ON, outside, String(port)]));
    },
    cut() {
      ip("neigh", "replace", inside, "lladdr", NOBODY, "dev", here, "nud", "permanent");
      ip("-n", name, "neigh", "replace", outside, "lladdr", NOBODY, "dev", there, "nud", "permanent");
    },
    mend() {
      ip("neigh", "del", inside, "dev", here);
      ip("-n", name, "neigh", "del", outside, "dev", there);
    },
    remove() {
      for (const child of children) child.kill("SIGKILL");
      for (const server of servers) server.close();
      // The cable goes with the namespace.
      ip("netns", "del", name);
    },
  };
}
