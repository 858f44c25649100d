import { toError } from "../../errors.ts";
import type { ElementoApi } from "../api/elemento-api.ts";
import { failureClass } from "../api/transport/failure-class.ts";
import { attemptKey, begun, over } from "../step/pending.ts";
import type { Create, Saying } from "../step/step.ts";
import type { Attempts, ElementoObject, VmSpec } from "../types.ts";
import type { Item, OperatorContext } from "./context.ts";
import { readUserData } from "./read-user-data.ts";
import { notReady, saveStatus } from "./save-status.ts";

async function create(context: OperatorContext, { account, object }: Item, thing: Create): Promise<unknown> {
  const { api }: { api: ElementoApi } = account;
  switch (thing.what) {
    case "network":
      return api.createNetwork(thing.request);
    case "volume":
      return api.createVolume(thing.request);
    case "image":
      return api.createImageVolume(thing.request);
    case "cloud-init": {
      const userData = await readUserData(context.client, object as unknown as ElementoObject<VmSpec>);
      return api.createCloudInit({ ...thing.request, userData });
    }
    case "machine":
      return api.registerVm(thing.request);
    case "cluster":
      return api.createCluster(thing.request);
  }
}

/** Whether Elemento certainly made nothing. */
const isRefused = (thrown: unknown): boolean => ["terminal", "capacity"].includes(failureClass(thrown));

/**
 * Makes things, at once. First the status says so, in a write that fails where somebody else was quicker: whatever happens
 * after it, the next look knows that they may exist, and waits until a list must show them.
 */
export async function createThings(
  context: OperatorContext,
  item: Item,
  { things, say, attempts }: { things: readonly Create[]; say: Saying; attempts: Attempts },
): Promise<void> {
  const keys = things.map(({ what, request }) => attemptKey(what, request.name));
  const tried = { ...attempts, ...Object.fromEntries(keys.map((key) => [key, begun(context.nowMs())])) };
  await saveStatus(context, item, { attempts: tried }, [notReady(item.object, say)]);
  const results = await Promise.allSettled(things.map((thing) => create(context, item, thing)));
  const after = keys.flatMap((key, index) => {
    const result = results[index];
    return result?.status === "rejected" && isRefused(result.reason) ? [] : [[key, over(context.nowMs())] as const];
  });
  await saveStatus(context, item, { attempts: { ...attempts, ...Object.fromEntries(after) } });
  const failed = results.flatMap((result) => (result.status === "rejected" ? [toError(result.reason)] : []));
  const worst = failed.find(isRefused) ?? failed[0];
  if (worst) throw worst;
}
