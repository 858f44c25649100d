import { createContext, Script } from "node:vm";
import { LandfallError } from "../../errors.ts";

/** Runs a bundle's module: synchronous work that no one else can interrupt. `ref` names the bundle. */
export type Run = <T>(ref: string, work: () => T) => T;

/** Runs modules without a limit: something else watches the process, or the bundle is the project's own. */
export const unlimited: Run = (_, work) => work();

/** One decision takes milliseconds. */
const LIMIT_MS = 10_000;

/**
 * Ends a module's work after `limitMs`. Node can interrupt only what a script calls, WASM included; a loop in the module would
 * never return. Work that takes longer ends with BUNDLE_TIMEOUT, and its module must not be used again.
 */
export function limitTime(limitMs = LIMIT_MS): Run {
  const slot = createContext({ work: (): unknown => undefined });
  const script = new Script("work()");
  return <T>(ref: string, work: () => T): T => {
    slot["work"] = work;
    try {
      return script.runInContext(slot, { timeout: limitMs }) as T;
    } catch (thrown) {
      if ((thrown as { code?: unknown } | null)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw thrown;
      throw new LandfallError("BUNDLE_TIMEOUT", { ref, seconds: limitMs / 1000 }, thrown);
    }
  };
}
