import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { LandfallError } from "../src/errors.ts";
import type { LoadOrder, LoadResult } from "./types.ts";

const LONGEST_SECONDS = 60;

/** One measurement by a process of its own. Throws LOCAL_BENCH if a request fails. */
export async function runLoad(order: LoadOrder): Promise<LoadResult> {
  const script = fileURLToPath(new URL("load.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(order));
  const result = JSON.parse((await text(child.stdout)) || "null") as LoadResult | null;
  if (result === null || result.failures > 0) {
    const detail =
      result === null ? "the load generator failed" : `${result.failures} requests to ${order.server} failed`;
    throw new LandfallError("LOCAL_BENCH", { detail });
  }
  // On a busy machine, the slowest peer may not answer any request in a short measurement.
  if (result.answered > 0) return result;
  if (order.seconds >= LONGEST_SECONDS)
    throw new LandfallError("LOCAL_BENCH", { detail: `${order.server} answered nothing in ${order.seconds} s` });
  return runLoad({ ...order, seconds: order.seconds * 4 });
}
