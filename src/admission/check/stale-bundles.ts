import { describe, type ErrorParams } from "../../errors.ts";
import type { Degradation, Denial } from "../../model/decision.ts";
import { isStale, type OtherIdentity, type StaleAction } from "../../model/other-bundle.ts";
import { HOUR_SECONDS, formatTime } from "../../model/time.ts";
import { denial } from "./denial.ts";
import type { Question } from "../decision-request.ts";

function params({ name, date, freshSeconds }: OtherIdentity, nowSeconds: number): ErrorParams {
  const at = date ?? nowSeconds;
  const hours = Math.floor((nowSeconds - at) / HOUR_SECONDS);
  return { name, date: formatTime(at), hours, limit: Math.round((freshSeconds ?? 0) / HOUR_SECONDS) };
}

const staleOnes = ({ policy, nowSeconds }: Question, action: StaleAction): OtherIdentity[] =>
  policy.others.filter((other) => other.whenStale === action && isStale(other, nowSeconds));

/** A denial for each data image that is older than the platform allows, where it refuses to decide by such data. */
export const staleDenials = (question: Question): Denial[] =>
  staleOnes(question, "refuse").map((other) =>
    denial("BUNDLE_DATA_STALE", { field: null }, params(other, question.nowSeconds)),
  );

/** What is said of data that is too old and used all the same, and of bundles that are not there. */
export function bundleDegradations(question: Question): Degradation[] {
  const { policy, nowSeconds } = question;
  const said = (code: "BUNDLE_DATA_STALE" | "BUNDLE_ABSENT", values: ErrorParams): Degradation => ({
    code,
    message: describe(code, values).message,
  });
  return [
    ...staleOnes(question, "warn").map((other) => said("BUNDLE_DATA_STALE", params(other, nowSeconds))),
    ...policy.absent.map((name) => said("BUNDLE_ABSENT", { name })),
  ];
}
