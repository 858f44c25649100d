import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import { LandfallError } from "../../errors.ts";

type Connector = buildConnector.connector;

/** Counts what comes over the connections of a dispatcher: limits of bodies count neither interim answers nor extensions of chunks. */
export interface WireMeter {
  /** The same connector, whose connections are counted. */
  metered(connector: Connector): Connector;
  /** Whether requests that run take more than they may is looked for until `end`. Then `signal` is aborted with BUNDLE_LIMIT. */
  watch(ref: string, limit: number): Watched;
}

export interface Watched {
  signal: AbortSignal;
  end(): void;
}

/** Besides a body of the highest allowed size: headers, handshakes, and the ends of chunks. */
const BESIDES_BYTES = 1024 * 1024;
const LOOK_MS = 100;

/** A meter that has counted nothing. */
export function createWireMeter(): WireMeter {
  const sockets = new Set<Socket>();
  const running = new Map<AbortController, string>();
  let closedBytes = 0;
  let [before, allowed] = [0, 0];
  let timer: NodeJS.Timeout | null = null;

  const total = (): number => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, closedBytes);

  function add(socket: Socket): void {
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      closedBytes += socket.bytesRead;
    });
  }

  function look(): void {
    if (total() - before <= allowed) return;
    const detail = "it sends far more than the answer: interim answers, or extensions of chunks";
    for (const [controller, ref] of running) controller.abort(new LandfallError("BUNDLE_LIMIT", { ref, detail }));
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  return {
    metered: (connector) => (options, callback) => {
      connector(options, (...made) => {
        const [error, socket] = made;
        if (error === null) add(socket);
        callback(...made);
      });
    },
    watch(ref, limit) {
      if (running.size === 0) [before, allowed] = [total(), 0];
      // Chunks of a body can be as short as one byte, but only a few bodies have such.
      allowed += 2 * limit + BESIDES_BYTES;
      const controller = new AbortController();
      running.set(controller, ref);
      timer ??= setInterval(look, LOOK_MS);
      return {
        signal: controller.signal,
        end() {
          running.delete(controller);
          if (running.size === 0) stop();
        },
      };
    },
  };
}
