import { toError } from "../../errors.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { FINALIZER } from "../kinds.ts";
import type { Decision, Step, Thing } from "../step/step.ts";
import { info, SOON_MS } from "../step/step.ts";
import type { Item, OperatorContext } from "./context.ts";
import { createThings } from "./create-things.ts";
import { quoteCluster, quoteMachine } from "./quote.ts";
import { inSync, notReady, ready, saveStatus } from "./save-status.ts";
import { writeKubeconfig } from "./write-kubeconfig.ts";

type StepOf<Do extends Step["do"]> = Extract<Step, { do: Do }>;

async function setFinalizer(context: OperatorContext, item: Item, present: boolean): Promise<void> {
  const { finalizers = [], resourceVersion } = item.object.metadata;
  const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
  item.object = await context.client.patch<Resource>(item.path, "merge", {
    metadata: { resourceVersion, finalizers: present ? [...others, FINALIZER] : others },
  });
  context.wrote(item.object);
}

async function removeThing({ account }: Item, { what, id }: Thing): Promise<void> {
  switch (what) {
    case "machine":
      return account.api.unregisterVm(id);
    case "volume":
      return account.api.destroyVolume(id);
    case "network":
      return account.api.deleteNetwork(id);
    case "cluster":
      return account.api.deleteCluster(id);
  }
}

async function remove(context: OperatorContext, item: Item, step: StepOf<"remove">): Promise<number> {
  const { things, say, duplicates } = step;
  await saveStatus(context, item, {}, [notReady(item.object, say)]);
  const results = await Promise.allSettled(things.map((thing) => removeThing(item, thing)));
  if (duplicates) context.metrics.removedDuplicates(item.kind, things.length);
  context.log.info({ object: item.path, things, reason: say.reason }, "removed");
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw toError(failed.reason);
  return SOON_MS;
}

async function feed(context: OperatorContext, item: Item, step: StepOf<"feed">): Promise<number> {
  const { volumeId, metaData } = step;
  if (!(await item.account.api.feedCloudInit(volumeId, metaData))) return SOON_MS;
  await saveStatus(context, item, { cloudInit: { id: volumeId } });
  return 0;
}

async function power(
  context: OperatorContext,
  item: Item,
  { do: verb, id }: StepOf<"start" | "stop">,
): Promise<number> {
  const say =
    verb === "start" ? info("Starting", "the machine is being started") : info("Stopping", "it is being stopped");
  await saveStatus(context, item, {}, [notReady(item.object, say)]);
  await (verb === "start" ? item.account.api.startVm(id) : item.account.api.stopVm(id));
  return SOON_MS;
}

async function fetchKubeconfig(context: OperatorContext, item: Item, id: string): Promise<number> {
  const kubeconfig = await item.account.api.readKubeconfig(id);
  if (kubeconfig === null) {
    const say = info("Creating", "waits for the cluster's credentials");
    await saveStatus(context, item, {}, [notReady(item.object, say)]);
    return 2 * SOON_MS;
  }
  await writeKubeconfig(context, item, kubeconfig);
  return 0;
}

async function rest(context: OperatorContext, item: Item, step: StepOf<"rest">): Promise<number> {
  const { reason, message, drift, lookAgainMs } = step;
  await saveStatus(context, item, {}, [ready(item.object, reason, message), inSync(item.object, drift)]);
  return lookAgainMs ?? context.resyncMs;
}

async function say(context: OperatorContext, item: Item, step: StepOf<"wait" | "refuse">): Promise<number> {
  await saveStatus(context, item, {}, [notReady(item.object, step.say)]);
  if (step.do === "wait") return step.lookAgainMs;
  context.record(item.object, { type: "Warning", reason: step.say.reason, message: step.say.message });
  return context.resyncMs;
}

/** Performs the step. Returns ms until the next reconcile, or null for none. Throws errors of Elemento or the API server. */
export async function perform(context: OperatorContext, item: Item, decision: Decision): Promise<number | null> {
  const { step, seen, attempts } = decision;
  if (step.do === "nothing") return null;
  if (step.do === "release") return setFinalizer(context, item, false).then(() => null);
  if (step.do === "claim") return setFinalizer(context, item, true).then(() => 0);
  if (step.do === "create") return create(context, item, { ...step, attempts });
  await saveStatus(context, item, { ...seen, attempts });
  return isQuote(step) ? quote(context, item, step) : act(context, item, step);
}

async function create(
  context: OperatorContext,
  item: Item,
  step: StepOf<"create"> & Pick<Decision, "attempts">,
): Promise<number> {
  const { namespace = "" } = item.object.metadata;
  await item.account.createSlot(namespace, () => createThings(context, item, step));
  return SOON_MS;
}

type Quote = "quote-machine" | "quote-cluster";
type Act = Exclude<Step["do"], "nothing" | "release" | "claim" | "create" | Quote>;

const isQuote = (step: Step): step is StepOf<Quote> => step.do === "quote-machine" || step.do === "quote-cluster";

const quote = async (context: OperatorContext, item: Item, step: StepOf<Quote>): Promise<number> =>
  step.do === "quote-cluster"
    ? quoteCluster(context, item, step.request)
    : quoteMachine(context, item, { shape: step.shape, wanted: step });

async function act(context: OperatorContext, item: Item, step: StepOf<Act>): Promise<number> {
  switch (step.do) {
    case "remove":
      return remove(context, item, step);
    case "feed":
      return feed(context, item, step);
    case "start":
    case "stop":
      return power(context, item, step);
    case "kubeconfig":
      return fetchKubeconfig(context, item, step.id);
    case "rest":
      return rest(context, item, step);
    case "wait":
    case "refuse":
      return say(context, item, step);
  }
}
