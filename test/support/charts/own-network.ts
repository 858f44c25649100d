// A Pod's network: a namespace that has no interface but loopback. What it may reach, and its own ports, are passed on one by one.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { joinSockets } from "../processes/join-sockets.ts";

const RELAY = fileURLToPath(new URL("relay.ts", import.meta.url));

export interface OwnNetwork {
  /** A shell's lines, to be run in the new network namespace before the Pod's program. */
  setUp: string;
  close: () => Promise<void>;
}

/** Whether network namespaces can be made and set up here: as root, with iproute2. */
export function hasOwnNetworks(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync("unshare", ["--net", "ip", "link", "set", "lo", "up"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** `address`: where the Pod's ports are served on this machine. `reaches`: ports of this machine's loopback address. */
export async function openNetwork({
  address,
  ports,
  reaches,
}: {
  address: string;
  ports: readonly number[];
  reaches: readonly number[];
}): Promise<OwnNetwork> {
  // Short: the path of a socket has at most 107 bytes.
  const sockets = await mkdtemp("/tmp/lf-net-");
  const open = new Set<Socket>();
  const serve = async (at: { host: string; port: number } | { path: string }, to: () => Socket): Promise<Server> => {
    const server = createServer((socket) => {
      open.add(socket.on("close", () => open.delete(socket)));
      joinSockets(socket, to());
    });
    const listening = Promise.withResolvers<undefined>();
    server.once("error", listening.reject).listen(at, () => {
      listening.resolve(undefined);
    });
    await listening.promise;
    return server;
  };
  const servers = await Promise.all([
    ...ports.map((port) => serve({ host: address, port }, () => connect(join(sockets, `in-${String(port)}`)))),
    ...reaches.map((port) => serve({ path: join(sockets, `out-${String(port)}`) }, () => connect(port, "127.0.0.1"))),
  ]);
  const alive = createServer((socket) => void open.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => alive.listen(join(sockets, "alive"), resolve));
  const all = [...reaches, "--", ...ports].join(" ");
  return {
    setUp: `ip link set lo up\n'${process.execPath}' '${RELAY}' '${sockets}' ${all} &\n`,
    async close() {
      for (const server of [...servers, alive]) server.close();
      for (const socket of open) socket.destroy();
      await rm(sockets, { recursive: true, force: true });
    },
  };
}
