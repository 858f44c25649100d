import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Spread {
  port: number;
  /** How many connections each target got. */
  counts: () => readonly number[];
  stop: () => void;
}

/** A Service in place of kube-proxy: each connection goes to the next port that accepts one. */
export async function spreadConnections(ports: readonly number[]): Promise<Spread> {
  const counts = ports.map(() => 0);
  const open = new Set<Socket>();
  let next = 0;
  function join(from: Socket, tries: number): void {
    const index = next++ % ports.length;
    const to = connect(ports[index] ?? 0, "127.0.0.1");
    let connected = false;
    to.once("connect", () => {
      connected = true;
      counts[index] = (counts[index] ?? 0) + 1;
      from.pipe(to).pipe(from);
    });
    to.on("error", () => {
      if (connected || tries <= 1) from.destroy();
      else join(from, tries - 1);
    });
    to.on("close", () => {
      if (connected) from.destroy();
    });
    from.on("close", () => to.destroy());
  }
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
    join(socket, ports.length);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    counts: () => counts,
    stop() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
