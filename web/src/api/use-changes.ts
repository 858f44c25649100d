import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Change } from "../../../src/console/contract/changes.ts";
import { whileShown } from "./page-shown.ts";
import { LIVE } from "./queries.ts";
import { open, RequestError } from "./request.ts";
import { onSignIn } from "./session.ts";

/** Whether what the page shows is up to date. `away`: the API server does not answer; `gone`: the console itself does not. */
export type Connection = { state: "connecting" | "live" } | { state: "away" | "gone"; message: string; since: number };

const [SHORTEST_MS, LONGEST_MS] = [500, 10_000] as const;

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Change> {
  let rest = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield JSON.parse(line) as Change;
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    const stop = onSignIn(done);
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      stop();
      resolve();
    }
  });

interface Follow {
  namespace: string | undefined;
  signal: AbortSignal;
  changed: () => void;
  tell: (connection: Connection) => void;
}

async function followOnce({ namespace, signal, changed, tell }: Follow): Promise<void> {
  const answer = await open("/api/changes", { namespace }, signal);
  if (answer.body === null) return;
  tell({ state: "live" });
  // Changes from before the stream was open.
  changed();
  for await (const change of linesOf(answer.body)) {
    if (change.type === "away") tell({ state: "away", message: change.message, since: Date.now() });
    if (change.type !== "changed") continue;
    tell({ state: "live" });
    changed();
  }
}

function connectionOf(thrown: unknown): Connection {
  const { kind, message } = thrown instanceof RequestError ? thrown.problem : { kind: "gone", message: "" };
  return kind === "gone" || kind === "away" ? { state: kind, message, since: Date.now() } : { state: "connecting" };
}

/** Follows the changes until `signal` is aborted, also after failures. */
async function follow(options: Follow): Promise<void> {
  const { signal, tell } = options;
  const isOver = (): boolean => signal.aborted;
  let wait: number = SHORTEST_MS;
  while (!isOver()) {
    const began = Date.now();
    try {
      await followOnce(options);
    } catch (thrown) {
      if (!isOver()) tell(connectionOf(thrown));
    }
    wait = Date.now() - began > LONGEST_MS ? SHORTEST_MS : Math.min(LONGEST_MS, wait * 2);
    if (!isOver()) await pause(wait, signal);
  }
}

/** Reads all live queries again when something changes in the namespace, or in any; one stream for the whole page. */
export function useChanges(namespace: string | undefined): Connection {
  const client = useQueryClient();
  const [connection, setConnection] = useState<Connection>({ state: "connecting" });
  useEffect(() => {
    const abort = new AbortController();
    const tell = (next: Connection): void => {
      if (abort.signal.aborted) return;
      // The time of the first failure stays.
      setConnection((before) => (before.state === next.state ? before : next));
    };
    const changed = (): void => void client.invalidateQueries({ queryKey: [LIVE] });
    void whileShown(abort.signal, (signal) => follow({ namespace, signal, changed, tell }));
    return () => {
      abort.abort();
    };
  }, [client, namespace]);
  return connection;
}
