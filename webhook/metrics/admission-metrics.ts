import { Counter, Histogram, type Registry } from "prom-client";
import { ERRORS } from "../../src/errors.ts";
import { isKind } from "../../src/model/names.ts";
import type { NoteAdmission, PlacedFigures, Reply, ReviewPath } from "../review/answer-review.ts";
import { textOf } from "../../src/model/json.ts";

/** Of bundles; Landfall's own codes are not limited. */
const MOST_CODES = 100;
const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;
const OPERATIONS = ["CREATE", "UPDATE", "DELETE"];
const SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** The value of all further values. */
const OTHER = "other";

/**
 * Limits the values of a label that come from outside, such as codes of a team's rules: the first `most` of them stand for themselves, all
 * others are `other`. Each value is a series, which Prometheus keeps for weeks.
 */
function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most) return OTHER;
    known.add(value);
    return value;
  };
}

/** Counts list prices of decisions, and against what the same object would cost immediately at its origin. */
function countCost(
  registers: Registry[],
  labelNames: string[],
): (labels: Record<string, string>, usd: number | null, baselineUsd: number | null) => void {
  const about = { labelNames, registers };
  const decided = new Counter({
    ...{ name: "landfall_decided_usd_total", ...about },
    help: "List price of new objects as decided, in USD: of a whole run, or of one hour without an end.",
  });
  const saved = new Counter({
    ...{ name: "landfall_decided_usd_saved_total", ...about },
    help: "List price that decisions save, in USD, against the same object started immediately at the origin, with the type that the rules choose there. Decisions that cost more count as none, and so do those whose rules do not allow the origin.",
  });
  const added = new Counter({
    ...{ name: "landfall_decided_usd_added_total", ...about },
    help: "List price of decisions beyond the same object started immediately at the origin, in USD: carbon or latency weighed more. None where the rules do not allow the origin.",
  });
  return (labels, usd, baselineUsd) => {
    if (usd === null) return;
    decided.inc(labels, usd);
    if (baselineUsd === null) return;
    saved.inc(labels, Math.max(0, baselineUsd - usd));
    added.inc(labels, Math.max(0, usd - baselineUsd));
  };
}

/** Counts what decisions give, by provider, and of which basis: a whole run, or an hour of a machine without an end. */
function countDecided(registers: Registry[]): (placed: PlacedFigures) => void {
  const labelNames = ["provider", "per"];
  const about = { labelNames, registers };
  const decisions = new Counter({
    ...{ name: "landfall_decisions_total", help: "New objects that got a place, by provider.", ...about },
  });
  const grams = new Counter({
    ...{ name: "landfall_decided_grams_total", ...about },
    help: "CO2e of new objects as decided, in grams: of a whole run, or of one hour without an end.",
  });
  const saved = new Counter({
    ...{ name: "landfall_decided_grams_saved_total", ...about },
    help: "CO2e that decisions save, in grams, against the same machine started immediately at the origin. Decisions that cost more count as none.",
  });
  const added = new Counter({
    ...{ name: "landfall_decided_grams_added_total", ...about },
    help: "CO2e that decisions cost beyond the same machine started immediately at the origin, in grams: price or latency weighed more.",
  });
  const noteCost = countCost(registers, labelNames);
  return ({ provider, per, grams: decided, baselineGrams, usd, baselineUsd }) => {
    const labels = { provider, per };
    decisions.inc(labels);
    noteCost(labels, usd, baselineUsd);
    if (decided === null) return;
    grams.inc(labels, decided);
    if (baselineGrams === null) return;
    saved.inc(labels, Math.max(0, baselineGrams - decided));
    added.inc(labels, Math.max(0, decided - baselineGrams));
  };
}

function countStages(registers: Registry[]): NoteAdmission {
  const stages = new Histogram({
    ...{ name: "landfall_admission_duration_seconds", labelNames: ["webhook", "stage"], buckets: SECONDS, registers },
    help: "Time of an answer to the API server, by stage: wait (for a turn and for other replicas), policy, rest (checks, placement, texts), and total.",
  });
  return (path, { log, figures }, seconds) => {
    const webhook = webhookOf(path);
    stages.observe({ webhook, stage: "total" }, seconds);
    const decided = Number(log?.["ms"] ?? Number.NaN) / 1000;
    if (Number.isNaN(decided)) return;
    stages.observe({ webhook, stage: "wait" }, Math.max(0, seconds - decided));
    const policy = (figures?.policyMs ?? 0) / 1000;
    if (figures !== undefined) stages.observe({ webhook, stage: "policy" }, policy);
    stages.observe({ webhook, stage: "rest" }, Math.max(0, decided - policy));
  };
}

/** The webhook of a path, as metrics and traces name it. */
export const webhookOf = (path: ReviewPath): string => (path === "/mutate" ? "placement" : "guard");

const outcomeOf = (log: Reply["log"]): string => {
  if (log === null) return "skipped";
  return log["allowed"] === true ? "allowed" : "denied";
};

function countReviews(registers: Registry[]): (path: ReviewPath, log: Reply["log"]) => void {
  const admissions = new Counter({
    ...{ name: "landfall_admissions_total", labelNames: ["webhook", "kind", "operation", "outcome"], registers },
    help: "Reviews that were answered, by webhook, kind, operation and outcome; `skipped` needed no decision.",
  });
  return (path, log) => {
    const [kind, operation] = [textOf(log?.["kind"]), textOf(log?.["operation"])];
    admissions.inc({
      webhook: webhookOf(path),
      kind: isKind(kind) ? kind : OTHER,
      operation: OPERATIONS.includes(operation) ? operation : OTHER,
      outcome: outcomeOf(log),
    });
  };
}

function countDenials(registers: Registry[]): (codes: unknown) => void {
  const denials = new Counter({
    ...{ name: "landfall_admission_denials_total", labelNames: ["code"], registers },
    help: "Reasons of denials, by code; one review can have several. Of codes that bundles choose, the first 100 have their own series.",
  });
  const bounded = boundedLabel(MOST_CODES);
  const codeOf = (code: unknown): string => {
    if (typeof code !== "string" || !CODE.test(code)) return OTHER;
    return Object.hasOwn(ERRORS, code) ? code : bounded(code);
  };
  return (codes) => {
    if (Array.isArray(codes)) for (const code of new Set(codes.map(codeOf))) denials.inc({ code });
  };
}

/** Adds the metrics of reviews. No label holds what users choose: names of objects and namespaces are in the log. */
export function countAdmissions(registry: Registry): NoteAdmission {
  const registers = [registry];
  const [noteReview, noteDenials] = [countReviews(registers), countDenials(registers)];
  const [noteStages, noteDecided] = [countStages(registers), countDecided(registers)];
  return (path, reply, seconds) => {
    const { log, figures } = reply;
    noteReview(path, log);
    noteDenials(log?.["codes"]);
    noteStages(path, reply, seconds);
    if (figures?.placed != null) noteDecided(figures.placed);
  };
}
