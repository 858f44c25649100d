import { AsyncLocalStorage } from "node:async_hooks";
import { type DestinationStream, type Logger, pino } from "pino";

type Fields = Readonly<Record<string, unknown>>;

const about = new AsyncLocalStorage<Fields>();

/** Runs work of which each log line has these fields, also in code that does not know them. */
export const logAbout = <T>(fields: Fields, work: () => T): T => about.run({ ...about.getStore(), ...fields }, work);

/** The log of a process: JSON lines whose `time` is RFC 3339 in UTC, with the fields of `logAbout`. */
export function openLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => ({ ...about.getStore() }),
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
