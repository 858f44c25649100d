import { write } from "node:fs";
import { promisify } from "node:util";
import { LandfallError } from "../errors.ts";
import { deliverToFile } from "./deliver-to-file.ts";
import { deliverToHttp } from "./deliver-to-http.ts";
import { type Deliver, type LineBuffer, openBuffer } from "./line-buffer.ts";

export interface LogOptions {
  /** `stdout`, `file:PATH`, `http://…` or `https://…` */
  target: string;
  /** While the buffer is full, lines are dropped or requests wait. */
  whenFull: "drop" | "slow";
  /** Gives the bearer token of an HTTP target; null for none. */
  token: (() => Promise<string>) | null;
}

export interface DecisionLog {
  add(line: string): void;
  /** Waits for space if the log is configured to slow requests down; never longer than two seconds. */
  ready(): Promise<void>;
  lost(): number;
  close(): Promise<void>;
}

const CAPACITY = 32 * 1024 * 1024;
const BATCH = 512 * 1024;
const FILE = { maxBytes: 64 * 1024 * 1024, files: 5 };
const LONGEST_WAIT_MS = 2000;
const CLOSE_MS = 5000;

const writeOut = promisify(write);

/** Standard output may be a pipe that no one reads: written asynchronously, and one batch at a time. */
const deliverToStdout: Deliver = async (lines) => {
  let rest = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  while (rest.length > 0) rest = rest.subarray((await writeOut(1, rest)).bytesWritten);
};

function deliverTo({ target, token }: LogOptions): Deliver {
  if (target === "stdout") return deliverToStdout;
  if (target.startsWith("file:")) return deliverToFile({ path: target.slice("file:".length), ...FILE });
  if (/^https?:\/\//.test(target) && URL.canParse(target))
    return deliverToHttp({ url: target, token, timeoutMs: 10_000 });
  throw new LandfallError("ADM_DECISION_LOG", { target });
}

/** Opens a decision log. Throws ADM_DECISION_LOG for an unknown kind of target. */
export function openLog(options: LogOptions): DecisionLog {
  const deliver = deliverTo(options);
  const buffer: LineBuffer = openBuffer({ deliver, capacity: CAPACITY, batch: BATCH, lingerMs: 500, retryMs: 500 });
  return {
    add: (line) => {
      buffer.add(line);
    },
    ready: () => (options.whenFull === "slow" ? buffer.whenSpace(LONGEST_WAIT_MS) : Promise.resolve()),
    lost: () => buffer.lost(),
    close: () => buffer.close(CLOSE_MS),
  };
}
