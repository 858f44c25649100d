import type { HelmResult, ReleaseCall } from "./calls.ts";
import { commandOf } from "./release-call.ts";
import { type Helm, runHelm, TIMEOUT_MS } from "./run-helm.ts";

/** Does what a call asks, by the worker if there is one that takes it, otherwise by helm's program. The result is the same. */
export async function performCall(helm: Helm, call: ReleaseCall): Promise<HelmResult> {
  const { worker, timeoutMs = TIMEOUT_MS } = helm;
  const answered = await worker?.process.perform(call, worker.access, timeoutMs);
  return answered ?? runHelm(helm, commandOf(call));
}
