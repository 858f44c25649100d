import { setTimeout as sleep } from "node:timers/promises";
import { lineOf } from "../../errors.ts";
import { type ReportServer, serveReports } from "./serve-reports.ts";

/** Ms between two attempts: a certificate may be issued after the controller has started. */
const RETRY_MS = 10_000;

/** Serves the reports of machines as soon as it can: until then it says why it cannot. Returns a function that stops it. */
export function keepServing(server: ReportServer, retryMs = RETRY_MS): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;

  async function serve(): Promise<(() => Promise<void>) | null> {
    let said = "";
    while (!signal.aborted) {
      try {
        return (await serveReports(server)).stop;
      } catch (thrown) {
        const error = lineOf(thrown);
        if (error !== said) server.log.error({ error }, "machines cannot report their completion; it is tried again");
        said = error;
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
    return null;
  }

  const serving = serve();
  return async () => {
    ending.abort();
    await (
      await serving
    )?.();
  };
}
