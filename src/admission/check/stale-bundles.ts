import { describe, type ErrorCode, type ErrorParams } from "../../errors.ts";
import type { Degradation, Denial } from "../../model/decision.ts";
import { isStale, type OtherIdentity, type StaleAction } from "../../model/bundle-format/other-bundle.ts";
import { HOUR_SECONDS, formatTime } from "../../model/time.ts";
import { denial } from "./denial.ts";
import type { DecisionRequest } from "../types.ts";

function params({ name, date, freshSeconds }: OtherIdentity, nowSeconds: number) {
  const at = date ?? nowSeconds;
  const hours = Math.floor((nowSeconds - at) / HOUR_SECONDS);
  return { name, date: formatTime(at), hours, limit: Math.round((freshSeconds ?? 0) / HOUR_SECONDS) };
}

const staleOnes = ({ policy, nowSeconds }: DecisionRequest, action: StaleAction): OtherIdentity[] =>
  policy.others.filter((other) => other.whenStale === action && isStale(other, nowSeconds));

/** A denial for each data image that is too old, if the platform denies decisions with such data. */
export const staleDenials = (request: DecisionRequest): Denial[] =>
  staleOnes(request, "refuse").map((other) =>
    denial("BUNDLE_DATA_STALE", { field: null }, params(other, request.nowSeconds)),
  );

/** The bundles that should have been replaced by now. */
function expired({ policy, nowSeconds }: DecisionRequest): { name: string; time: string }[] {
  return [{ name: "landfall", expires: policy.expires }, ...policy.others].flatMap(({ name, expires }) =>
    expires === null || nowSeconds < expires ? [] : [{ name, time: formatTime(expires) }],
  );
}

/** Warnings about data that is too old but used, about expired bundles, and about missing ones. */
export function bundleDegradations(request: DecisionRequest): Degradation[] {
  const { policy, nowSeconds } = request;
  const said = (code: "BUNDLE_DATA_STALE" | "BUNDLE_EXPIRED" | "BUNDLE_ABSENT", values: ErrorParams): Degradation => ({
    code,
    message: describe<ErrorCode>(code, values).message,
  });
  return [
    ...staleOnes(request, "warn").map((other) => said("BUNDLE_DATA_STALE", params(other, nowSeconds))),
    ...expired(request).map((values) => said("BUNDLE_EXPIRED", values)),
    ...policy.absent.map((name) => said("BUNDLE_ABSENT", { name })),
  ];
}
