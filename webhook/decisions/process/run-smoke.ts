import { LandfallError } from "../../../src/errors.ts";
import { isObject, textOf } from "../../../src/model/json.ts";
import { API_VERSION, COMPOSITION_GROUP, OBJECT_VERSION } from "../../../src/model/names.ts";
import type { Reply, ReviewPath } from "../../review/answer-review.ts";
import type { SmokeReport } from "../messages.ts";

interface MeasuredReport extends SmokeReport {
  /** CPU time of all decisions but further rounds. */
  totalMs: number;
}

export interface SmokeCase {
  name: string;
  kind: string;
  spec: Record<string, unknown>;
  allowed: boolean;
  code: string | null;
}

/** Each case runs this often, and its least time counts: the first answers of a new module are the slowest, and others use the machine. */
export const ROUNDS = 5;

const SHAPE =
  "is not a smoke case; write name (a text), spec (a map) and allowed (true or false), and code if it is denied with one";

function smokeCase(value: unknown, ref: string, where: string): SmokeCase {
  const { name, kind = "VmTemplate", spec, allowed, code = null } = isObject(value) ? value : {};
  const whole = typeof name === "string" && typeof kind === "string" && isObject(spec) && typeof allowed === "boolean";
  if (whole && (code === null || typeof code === "string")) return { name, kind, spec, allowed, code };
  throw new LandfallError("BUNDLE_DATA", { ref, detail: `${where} ${SHAPE}` });
}

/** Reads a bundle's smoke cases. Throws BUNDLE_DATA for cases of the wrong shape, BUNDLE_LIMIT above `most`; `where` names them. */
export function readCases(cases: unknown, ref: string, where: string, most = Infinity): SmokeCase[] {
  if (cases === undefined) return [];
  if (!Array.isArray(cases))
    throw new LandfallError("BUNDLE_DATA", { ref, detail: `${where} is not a list; write a list of cases` });
  if (cases.length > most) {
    const detail = `${where} has ${String(cases.length)} cases; at most ${String(most)} are run`;
    throw new LandfallError("BUNDLE_LIMIT", { ref, detail });
  }
  return cases.map((one, index) => smokeCase(one, ref, `${where}[${String(index)}]`));
}

/** The review that asks about a smoke input. */
export const reviewOf = ({ kind, spec }: SmokeCase): string =>
  JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "smoke",
      operation: "CREATE",
      dryRun: true,
      kind: { group: COMPOSITION_GROUP, version: OBJECT_VERSION, kind },
      namespace: "landfall-smoke",
      object: { apiVersion: API_VERSION, kind, metadata: { name: "smoke" }, spec },
    },
  });

/** How the answer differs from the expected one; null if it does not. */
function wrong({ allowed, code }: SmokeCase, reply: Reply): string | null {
  const codes = Array.isArray(reply.log?.["codes"]) ? reply.log["codes"].map(textOf) : [];
  if (reply.log?.["allowed"] !== allowed) return allowed ? `denied (${codes.join(", ")})` : "allowed";
  return code === null || codes[0] === code ? null : `denied with ${codes.join(", ")} instead of ${code}`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** CPU time of this thread: a busy machine must not fail a bundle. */
const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;

interface SmokeRun {
  /** Answers are compared with the expected ones, and errors name this bundle; without it, only the time is measured. */
  ref: string | null;
  /** How often each case runs at least. */
  rounds?: number;
  /** The team whose rules answer, and the processor time (ms) that all answers may take: a load of all bundles must not end because of one. */
  budget?: { ref: string; ms: number };
  /** While the median is above this (ms), the cases run again, up to four times as often: a machine can be slow for a moment. */
  limitMs?: number | undefined;
}

/** So many times the rounds of before are further ones at most, and so much processor time (ms) do they take. */
const [FURTHER, FURTHER_MS] = [3, 3000];

type Answer = (path: ReviewPath, body: string) => Reply;

interface Asked extends SmokeCase {
  review: string;
  leastMs: number;
}

const medianOf = (asked: readonly Asked[]): number => median(asked.map(({ leastMs }) => leastMs));

/** The processor time (ms) of one answer. Throws BUNDLE_SMOKE if it is unexpected and a bundle can be named. */
function measure(one: Asked, ref: string | null, answer: Answer): number {
  const began = process.threadCpuUsage();
  const problem = wrong(one, answer("/mutate", one.review));
  const ms = milliseconds(process.threadCpuUsage(began));
  one.leastMs = Math.min(one.leastMs, ms);
  if (problem !== null && ref !== null)
    throw new LandfallError("BUNDLE_SMOKE", { ref, name: one.name, detail: problem });
  return ms;
}

const overBudget = ({ ref }: { ref: string }, { actual, limit }: { actual: number; limit: number }): LandfallError =>
  new LandfallError("BUNDLE_SLOW", { ref, actual: Math.round(actual), limit: Math.round(limit) });

/**
 * Runs smoke cases. The time of a case is the least of its rounds. Throws BUNDLE_SMOKE for an unexpected answer, BUNDLE_SLOW if they take
 * more than the budget.
 */
export function runSmoke(
  cases: readonly SmokeCase[],
  { ref, rounds = ROUNDS, budget, limitMs = Infinity }: SmokeRun,
  answer: Answer,
): MeasuredReport {
  const asked = cases.map((one) => ({ ...one, review: reviewOf(one), leastMs: Infinity }));
  let [totalMs, answers] = [0, 0];
  const ask = (one: Asked): void => {
    totalMs += measure(one, ref, answer);
    answers += 1;
  };
  for (const one of asked.flatMap((each) => Array.from({ length: rounds }, () => each))) {
    ask(one);
    if (budget !== undefined && totalMs > budget.ms)
      throw overBudget(budget, { actual: totalMs / answers, limit: budget.ms / (cases.length * rounds) });
  }
  const baseMs = totalMs;
  for (let round = 0; round < FURTHER * rounds && medianOf(asked) > limitMs; round += 1)
    for (const one of asked) if (totalMs - baseMs < FURTHER_MS) ask(one);
  return { cases: cases.length, medianMs: Math.round(medianOf(asked) * 100) / 100, totalMs: baseMs };
}
