import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Change, CHANGES_QUERY } from "../contract/changes.ts";
import type { Stores } from "../objects/open-stores.ts";
import type { Pulse } from "../server/pulse.ts";
import type { ConsoleApp } from "./console-app.ts";
import { leftBy } from "./left-by.ts";

/** Changes are gathered for this time, in ms: a page reads again at most so often. */
const GATHER_MS = 1000;
const ALIVE_MS = 15_000;
/** How long the first list may take before the stream is opened without it, in ms. */
const FIRST_MS = 2000;

/**
 * Streams the changes of a namespace, or of all, as lines of JSON. Not server-sent events: a browser cannot send the session with those
 * but in the address, where it would stay in its history.
 */
export function addChangesRoute(app: ConsoleApp, stores: Stores, pulse: Pulse): void {
  const closed = new AbortController();
  app.addHook("onClose", async () => {
    closed.abort();
    return Promise.resolve();
  });
  app.get("/api/changes", { schema: { querystring: CHANGES_QUERY } }, async ({ query }, reply) => {
    // Before the first list: a page that leaves while it waits does not say so again.
    const left = AbortSignal.any([leftBy(reply), closed.signal]);
    const opening = stores.of(query.namespace ?? null);
    // An API server that hangs gives no list: the stream says so meanwhile.
    await Promise.race([opening, sleep(FIRST_MS, undefined, { ref: false })]);
    if (left.aborted) {
      opening.catch(() => undefined);
      return reply.hijack();
    }
    const lines = new PassThrough();
    let waiting: NodeJS.Timeout | null = null;
    const write = (change: Change): void => void lines.write(`${JSON.stringify(change)}\n`);
    const changed = (): void => {
      waiting ??= setTimeout(() => {
        waiting = null;
        write({ type: "changed" });
      }, GATHER_MS);
    };
    const stops = [
      pulse.listen((away) => {
        write(away === null ? { type: "changed" } : { type: "away", message: away });
      }),
    ];
    opening.then(
      (store) => {
        if (left.aborted) return;
        stops.push(
          store.subscribe((change) => {
            if (change.type === "changed") changed();
            else write(change);
          }),
        );
      },
      // The page opens another stream, and reads why.
      () => lines.end(),
    );
    const alive = setInterval(() => {
      write({ type: "alive" });
    }, ALIVE_MS);
    left.addEventListener(
      "abort",
      () => {
        for (const stop of stops) stop();
        clearInterval(alive);
        clearTimeout(waiting ?? undefined);
        lines.destroy();
      },
      { once: true },
    );
    write({ type: "alive" });
    return reply.header("content-type", "application/x-ndjson").header("cache-control", "no-store").send(lines);
  });
}
