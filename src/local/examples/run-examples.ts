import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../cluster/client/api-error.ts";
import { type ApiPath, below, parseApiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { readiness } from "../../composition/status/readiness.ts";
import { readDecision } from "../../model/decision-annotation/compact-decision.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { applyObject, collectionOf } from "../control-plane/apply-object.ts";
import { checkEnd, falseAlarm } from "./check-end.ts";
import type { Example, ExampleResource, ExampleResult } from "./example-types.ts";
import { type Composition, denialOutcome, readyCondition, outcomeOf } from "./outcome-of.ts";
import type { Examples } from "./read-examples.ts";

const EVERY_MS = 250;

export interface Follow {
  client: KubeClient;
  path: ApiPath;
  object: Composition;
  expected: string[];
  /** Milliseconds since 1970 after which it counts as not settled. */
  until: number;
  /** Called once for each new message of the Ready condition. */
  onProgress(message: string): void;
}

type Managed = NonNullable<NonNullable<Composition["status"]>["managed"]>;

export interface Settled {
  outcome: string;
  object: Composition;
  /** Its last resources: those of a run that was deleted are no longer in its status. */
  managed: Managed;
}

/** An error answer does not change the object; a lost API server ends the run. */
function ifRefused(thrown: unknown): null {
  if (thrown instanceof ApiError && thrown.status > 0) return null;
  throw thrown;
}

const lastManaged = ({ status }: Composition, before: Managed): Managed =>
  status?.managed === undefined || status.managed.length === 0 ? before : status.managed;

/** Follows an object until it has an outcome, or the time is over (`Pending: …`). */
async function followObject(follow: Follow): Promise<Settled> {
  let { object } = follow;
  let said = "";
  let managed: Managed = [];
  for (;;) {
    managed = lastManaged(object, managed);
    const outcome = outcomeOf(object, follow.expected, Date.now());
    if (outcome !== null) return { outcome, object, managed };
    const message = readyCondition(object)?.message ?? "";
    if (Date.now() > follow.until) return { outcome: `Pending: ${message || "no condition yet"}`, object, managed };
    if (message !== said) follow.onProgress(message);
    said = message;
    await sleep(EVERY_MS);
    object = (await follow.client.get<Composition>(follow.path).catch(ifRefused)) ?? object;
  }
}

/** Receives the progress of the examples. */
export interface ExampleReporter {
  admitted(example: Example, object: Composition): void;
  progress(example: Example, message: string): void;
  settled(example: Example, result: ExampleResult): void;
}

interface ExampleRun {
  client: KubeClient;
  reporter: ExampleReporter;
  /** Milliseconds since 1970 after which an object counts as not settled. */
  until: number;
}

type Applied = { path: ApiPath; object: Composition } | { denied: ApiError };

/** Longest time for all examples together. */
const LIMIT_SECONDS = 300;

/** Creates an example's object as `kubectl create` does. An object of that name that exists is used as it is. */
async function applyExample(client: KubeClient, { object }: Example): Promise<Applied> {
  const collection = await collectionOf(client, object);
  const path = below(collection, object.metadata.name ?? "");
  try {
    const query = { fieldManager: "landfall-local" };
    return { path, object: await client.create<Composition>(collection, object, query) };
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status === 0) throw thrown;
    const existing = thrown.status === 409 ? await client.get<Composition>(path) : null;
    return existing === null ? { denied: thrown } : { path, object: existing };
  }
}

/** These provider resources, each with its readiness; null for one that does not exist. */
async function readResources(client: KubeClient, managed: Managed): Promise<(ExampleResource | null)[]> {
  return Promise.all(
    managed.map(async ({ apiVersion, name, path }) => {
      const own = parseApiPath(path);
      const found = own && (await client.get<Resource>(own));
      return found && { apiVersion, kind: found.kind, name, ready: readiness(found).ready };
    }),
  );
}

/**
 * `readResources`, of a ready object not before all are ready: an operator that writes into a spec reports its resource as not synced for a moment,
 * and the object's own condition follows later.
 */
async function readSettled(
  client: KubeClient,
  { outcome, managed }: Settled,
  untilMs: number,
): Promise<(ExampleResource | null)[]> {
  for (;;) {
    const found = await readResources(client, managed);
    const isOpen = outcome === "Ready" && !found.every((one) => one?.ready === true);
    if (!isOpen || Date.now() > untilMs) return found;
    await sleep(EVERY_MS);
  }
}

/** The resources of an object that has settled, and its outcome: what is said to be deleted must not be there. A missing one is not ready. */
async function withResources(
  { client, until }: ExampleRun,
  settled: Settled,
): Promise<Pick<ExampleResult, "outcome" | "resources">> {
  const { outcome, managed } = settled;
  const found = await readSettled(client, settled, until);
  if (outcome !== "Deleted") {
    const missing = ({ apiVersion, resource, name }: Managed[number]): ExampleResource => ({
      ...{ apiVersion, kind: resource, name, ready: false },
    });
    return { outcome, resources: managed.map((entry, index) => found[index] ?? missing(entry)) };
  }
  const resources = found.filter((resource) => resource !== null);
  const none = managed.length === 0 ? "Failed: NeverInstalled" : outcome;
  return {
    outcome: resources.length === 0 ? none : `Failed: ${String(resources.length)} resources are left`,
    resources,
  };
}

/**
 * The outcome, if it is what it says: nothing runs of a run that is over, and its Events are there; no error was reported of what became
 * ready.
 */
async function checkedEnd(
  client: KubeClient,
  { events }: Example,
  object: Composition,
  outcome: string,
): Promise<string> {
  const isOver = outcome === "Deleted" || outcome === "Completed";
  if (!isOver && outcome !== "Ready") return outcome;
  const wrong = isOver ? await checkEnd(client, object, { outcome, events }) : await falseAlarm(client, object);
  return wrong === null ? outcome : `Failed: ${wrong}`;
}

/** Follows an admitted object until it has settled. */
async function followExample(
  run: ExampleRun,
  example: Example,
  applied: { path: ApiPath; object: Composition },
): Promise<Pick<ExampleResult, "outcome" | "decision" | "message" | "resources">> {
  const { client, reporter, until } = run;
  reporter.admitted(example, applied.object);
  const settled = await followObject({
    ...{ client, until, expected: example.expected },
    ...applied,
    onProgress: (message) => {
      reporter.progress(example, message);
    },
  });
  const { outcome: ended, resources } = await withResources(run, settled);
  const outcome = await checkedEnd(client, example, settled.object, ended);
  const message = outcome.startsWith("Failed") ? (readyCondition(settled.object)?.message ?? null) : null;
  return { outcome, decision: readDecision(settled.object), message, resources };
}

/** Applies one example and follows it to its end. */
async function runExample(run: ExampleRun, example: Example): Promise<ExampleResult> {
  const begun = Date.now();
  const { metadata, kind } = example.object;
  const { name = "", namespace = "default" } = metadata;
  const applied = await applyExample(run.client, example);
  const ending =
    "denied" in applied
      ? {
          outcome: denialOutcome(applied.denied.status, applied.denied.detail),
          ...{ decision: null, resources: [], message: applied.denied.detail },
        }
      : await followExample(run, example, applied);
  const about = { file: example.file, kind, name, namespace, expected: example.expected.join(", ") };
  const result = { ...about, ...ending, seconds: (Date.now() - begun) / 1000 };
  run.reporter.settled(example, result);
  return result;
}

/** Applies everything in one call, as a team's pipeline does, and follows each object to its end. Errors: LOCAL_APPLY. */
export async function runExamples(
  client: KubeClient,
  { foundations, examples }: Examples,
  reporter: ExampleReporter,
): Promise<ExampleResult[]> {
  for (const object of foundations) await applyObject(client, object);
  const until = Date.now() + LIMIT_SECONDS * 1000;
  return Promise.all(examples.map(async (example) => runExample({ client, reporter, until }, example)));
}
