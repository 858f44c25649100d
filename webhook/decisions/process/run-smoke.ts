import { LandfallError } from "../../../src/errors.ts";
import { isObject, textOf } from "../../../src/model/json.ts";
import { API_VERSION, COMPOSITION_GROUP, OBJECT_VERSION } from "../../../src/model/names.ts";
import type { Reply, ReviewPath } from "../../review/answer-review.ts";
import type { SmokeReport } from "../messages.ts";

interface MeasuredReport extends SmokeReport {
  /** CPU time of all decisions. */
  totalMs: number;
}

export interface SmokeCase {
  name: string;
  kind: string;
  spec: Record<string, unknown>;
  allowed: boolean;
  code: string | null;
}

/** Each case runs this often: the first answers of a new module are the slowest. */
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
  /** How often each case runs. */
  rounds?: number;
  /** The team whose rules answer, and the processor time (ms) that all answers may take: a load of all bundles must not end because of one. */
  budget?: { ref: string; ms: number };
}

/** Runs smoke cases. Throws BUNDLE_SMOKE for an unexpected answer, BUNDLE_SLOW if they take more than the budget. */
export function runSmoke(
  cases: readonly SmokeCase[],
  { ref, rounds = ROUNDS, budget }: SmokeRun,
  answer: (path: ReviewPath, body: string) => Reply,
): MeasuredReport {
  const times: number[] = [];
  let total = 0;
  for (const one of cases) {
    const review = reviewOf(one);
    for (let round = 0; round < rounds; round += 1) {
      const began = process.threadCpuUsage();
      const problem = wrong(one, answer("/mutate", review));
      const ms = milliseconds(process.threadCpuUsage(began));
      total += ms;
      times.push(ms);
      if (problem !== null && ref !== null)
        throw new LandfallError("BUNDLE_SMOKE", { ref, name: one.name, detail: problem });
      if (budget !== undefined && total > budget.ms) {
        const [actual, limit] = [total / times.length, budget.ms / (cases.length * rounds)].map(Math.round);
        throw new LandfallError("BUNDLE_SLOW", { ref: budget.ref, actual: actual ?? 0, limit: limit ?? 0 });
      }
    }
  }
  return { cases: cases.length, medianMs: Math.round(median(times) * 100) / 100, totalMs: total };
}
