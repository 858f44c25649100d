import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { lineOf } from "../../errors.ts";
import { serveHealth } from "./serve-health.ts";
import { watchClock } from "./watch-clock.ts";

/** A service that a process runs until a signal ends it. */
export interface Service {
  /** The content of /healthz. */
  health(): object;
  /** Takes no more work, and resolves when what is underway has ended. */
  stop(): Promise<void>;
  /** The log's line about its start. */
  about: object;
}

export interface ServiceOptions {
  /** The name in log lines. */
  name: string;
  healthPort?: number;
  healthHost: string;
  metrics: Registry;
  log: Logger;
  /** Ends the process: immediately after a signal, or as soon as nothing is left to do. */
  exit: (code: number, when: "now" | "later") => void;
}

/** Serves health and metrics, runs what `start` gives, and stops it at SIGTERM and SIGINT. The code is 1 if it could not start. */
export async function runService(
  { name, metrics, log, exit, ...address }: ServiceOptions,
  start: () => Promise<Service>,
): Promise<void> {
  let running: Service | null = null;
  let stopHealth = (): void => undefined;
  try {
    stopHealth = await serveHealth(address, { health: () => running?.health() ?? null, metrics });
    watchClock(metrics, { log });
    const service = await start();
    running = service;
    log.info(service.about, `${name} started`);
    const stop = (signal: string): void => {
      log.info({ signal }, `${name} stopping`);
      stopHealth();
      const failed = (thrown: unknown): void => log.error({ error: lineOf(thrown) }, `${name} could not stop in order`);
      void service
        .stop()
        .catch(failed)
        .finally(() => {
          exit(0, "now");
        });
    };
    process.once("SIGTERM", stop);
    process.once("SIGINT", stop);
  } catch (thrown) {
    stopHealth();
    log.fatal({ error: lineOf(thrown) }, `${name} could not start`);
    exit(1, "later");
  }
}
