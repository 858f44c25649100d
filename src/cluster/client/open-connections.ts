import { Agent, type Dispatcher } from "undici";
import type { RestConfig } from "./rest-config.ts";

/**
 * Most connections for calls to one API server at a time; further calls wait for one that is free. What users write, such as the
 * entries of a status, can ask for thousands of calls at a time, and each connection is an open file.
 */
const MOST = 128;

/** The connections to one API server. Clients that act as different users can share them. */
export interface Connections {
  /** For calls with one answer. */
  readonly calls: Dispatcher;
  /** For watches: each keeps a connection for as long as it lasts, so they must not take those of the calls. */
  readonly streams: Dispatcher;
  /** Ends all of them. */
  destroy(): Promise<void>;
}

export function openConnections({ tls }: Pick<RestConfig, "tls">): Connections {
  const options = { connect: tls, keepAliveTimeout: 30_000 };
  const [calls, streams] = [new Agent({ ...options, connections: MOST }), new Agent(options)];
  return {
    calls,
    streams,
    destroy: async () => {
      await Promise.all([calls.destroy(), streams.destroy()]);
    },
  };
}
