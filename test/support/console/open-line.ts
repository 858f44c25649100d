import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The line to an API server, which a test can cut. */
export interface Line {
  /** The API server at the other end. */
  url: string;
  /** Ends all connections, and refuses others until `mend`. */
  cut: () => void;
  mend: () => void;
  close: () => void;
}

/** Passes connections of a free port on to the host and port of `server`, without reading them. */
export async function openLine(server: string): Promise<Line> {
  const { hostname, port } = new URL(server);
  const open = new Set<Socket>();
  let isCut = false;
  const listener = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.pipe(other);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const end = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `https://127.0.0.1:${String((listener.address() as AddressInfo).port)}`,
    cut() {
      isCut = true;
      end();
    },
    mend() {
      isCut = false;
    },
    close() {
      listener.close();
      end();
    },
  };
}
