import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Collects the garbage of starting or loading, in this process: V8 would keep the memory for minutes. Blocks the process, so
 * call it only while no request waits.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: {
    type: "major";
    execution: "sync";
    flavor: "last-resort";
  }) => void;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
