import { setImmediate as breathe } from "node:timers/promises";
import type { OwnerOf } from "../../src/external-data/sample-fairly.ts";
import type { WorkloadObject } from "../../src/model/workload.ts";
import { asLandfallError, LandfallError } from "../../src/errors.ts";
import { COMPOSITION_GROUP } from "../../src/model/names.ts";
import { asNew } from "../../src/model/decision-annotation/strip-decision.ts";
import type { DecisionProcess } from "../decisions/start-process.ts";
import type { CanaryReport, Changed, CanaryCount } from "./judge-canaries.ts";
import { EndedAtQuestion } from "./omitted-owners.ts";
import { textOf } from "../../src/model/json.ts";
import { uptimeMs } from "../../src/processes/uptime-ms.ts";

/**
 * A sample of at most `most` live objects, fair to all owners of namespaces and the same for each `seed`. Throws if the API server does not
 * answer.
 */
export type Canaries = (most: number, seed: string, ownerOf: OwnerOf) => Promise<WorkloadObject[]>;

/** The requests that both bundles decide. */
export interface Questions {
  objects: readonly WorkloadObject[];
  /** Reviews of new objects that were denied lately. */
  refused: readonly string[];
  /** Reviews of the smoke inputs that the active bundle says it denies. */
  smoke: readonly string[];
  /** Whose the namespaces are. */
  ownerOf: OwnerOf;
  /** The owners about whose namespaces nothing is asked. */
  omitted: ReadonlySet<string>;
}

interface Question {
  review: string;
  namespace: string;
}

/** A request to create the object now, in the place that it has. */
function ofObject(object: WorkloadObject): Question {
  const [, version = ""] = object.apiVersion.split("/");
  const { namespace = "" } = object.metadata;
  const request = {
    uid: "canary",
    operation: "CREATE",
    dryRun: true,
    kind: { group: COMPOSITION_GROUP, version, kind: object.kind },
    namespace,
    object: asNew(object, { keepFields: true }),
  };
  const review = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
  return { review, namespace };
}

/** The same request as a dry run, so that nothing is reserved for it. */
function ofReview(body: string): Question {
  const review = JSON.parse(body) as { request: Record<string, unknown> };
  const namespace = textOf(review.request["namespace"]);
  const request = { ...review.request, uid: "canary", dryRun: true };
  return { review: JSON.stringify({ ...review, request }), namespace };
}

async function allows(decider: DecisionProcess, review: string): Promise<boolean> {
  const { log } = await decider.ask("/mutate", review, { quiet: true });
  return log?.["allowed"] === true;
}

/** That the active process ends says nothing about the new bundle: it is tried again. */
const restarting = (thrown: unknown): LandfallError => new LandfallError("ADM_RESTARTING", {}, thrown);

/** `error` with the owner, if this question ended the process: another one, or a long wait, says nothing about it. */
function endedFor(owner: string, thrown: unknown, error: LandfallError): LandfallError {
  const { code } = asLandfallError(thrown);
  return code === "ADM_RESTARTING" || code === "ADM_BUSY" ? error : new EndedAtQuestion(error, owner, thrown);
}

function count(changed: Changed, owner: string, isChanged: boolean): void {
  const count: CanaryCount = changed.owners.get(owner) ?? { asked: 0, changed: 0 };
  changed.owners.set(owner, { asked: count.asked + 1, changed: count.changed + Number(isChanged) });
}

/** The time of a question in both processes together, in ms, unless a tenant wrote its object so that it takes long. */
const QUICK_MS = 100;
/** The time beyond that, in ms, that the questions of one owner may take. Requests of all wait meanwhile. */
const MOST_SLOW_MS = 1000;

/** Says how long the questions of each owner took beyond what they usually take. */
function slowOwners(nowMs: () => number) {
  const taken = new Map<string, number>();
  return {
    isSpent: (owner: string): boolean => (taken.get(owner) ?? 0) >= MOST_SLOW_MS,
    async timed<T>(owner: string, work: () => Promise<T>): Promise<T> {
      const began = nowMs();
      const result = await work();
      taken.set(owner, (taken.get(owner) ?? 0) + Math.max(0, nowMs() - began - QUICK_MS));
      return result;
    },
  };
}

/** Both answers to a question about an object of this owner. */
async function compareAnswers(
  { active, candidate }: { active: DecisionProcess; candidate: DecisionProcess },
  review: string,
  owner: string,
): Promise<{ before: boolean; after: boolean }> {
  const before = await allows(active, review).catch((thrown: unknown) => {
    throw endedFor(owner, thrown, restarting(thrown));
  });
  const after = await allows(candidate, review).catch((thrown: unknown) => {
    throw endedFor(owner, thrown, asLandfallError(thrown));
  });
  return { before, after };
}

/**
 * Asks both bundles the same questions, one at a time, so that no request waits long. Of an owner whose questions take long, the others are
 * omitted.
 */
export async function askCanaries(
  active: DecisionProcess,
  candidate: DecisionProcess,
  { objects, refused, smoke, ownerOf, omitted }: Questions,
  nowMs: () => number = uptimeMs,
): Promise<CanaryReport> {
  const report: CanaryReport = {
    denied: { owners: new Map() },
    allowed: { owners: new Map() },
    smoke: 0,
  };
  const slow = slowOwners(nowMs);
  for (const question of [...objects.map(ofObject), ...refused.map(ofReview)]) {
    const owner = ownerOf(question.namespace);
    if (omitted.has(owner) || slow.isSpent(owner)) continue;
    await breathe();
    const ask = () => compareAnswers({ active, candidate }, question.review, owner);
    const { before, after } = await slow.timed(owner, ask);
    if (before) count(report.denied, owner, !after);
    else count(report.allowed, owner, after);
  }
  for (const { review } of smoke.map(ofReview)) {
    const before = await allows(active, review).catch((thrown: unknown) => {
      throw restarting(thrown);
    });
    if (before) continue;
    if (await allows(candidate, review)) report.smoke += 1;
  }
  return report;
}
