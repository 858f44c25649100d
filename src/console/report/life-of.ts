import type { CompactDecision } from "../../model/decision-annotation/compact-decision.ts";
import { parseSignature } from "../../model/decision-annotation/signature.ts";
import { isObject } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { ANNOTATION } from "../../model/names.ts";
import { pausesOf } from "../../model/runs/planned-pauses.ts";
import { formatTime, readTime } from "../../model/time.ts";
import type { Moment } from "../contract/object.ts";
import type { Row } from "../contract/rows.ts";
import { toldConditions } from "../objects/told-conditions.ts";

/** A moment, if its time is one. */
function moment(at: unknown, what: string, detail: string, nowSeconds: number): Moment[] {
  const seconds = readTime(at);
  return seconds === null ? [] : [{ at: formatTime(seconds), what, detail, planned: seconds > nowSeconds }];
}

function signedMoment({ metadata }: Resource, nowSeconds: number): Moment[] {
  const signature = parseSignature(metadata.annotations?.[ANNOTATION.seal] ?? "");
  if (signature === null || signature.use === "legacy") return [];
  return moment(formatTime(signature.at), "Decided", "the decision that holds was signed", nowSeconds);
}

const text = (value: unknown): string => (typeof value === "string" ? value : "unknown");

/** Moves are unchecked as well: anyone who can write the object can write anything there. */
function moveMoments(moves: unknown, nowSeconds: number): Moment[] {
  const given: unknown[] = Array.isArray(moves) ? moves : [];
  return given.filter(isObject).flatMap(({ at, from, to, why }) => {
    const [before, after] = [from, to].map((side) => text(isObject(side) ? side["place"] : null));
    return moment(at, "Moved", `from ${before ?? ""} to ${after ?? ""}: ${text(why)}`, nowSeconds);
  });
}

const OFF = { stop: "its machine is stopped", recreate: "its machine is deleted" } as const;

/** The beginning and the end of each pause of the shown run. The status names the end of the present one, which may come later than planned. */
function pauseMoments({ parts, pauseWay }: Row, pausedUntil: unknown, nowSeconds: number): Moment[] {
  const off = OFF[pauseWay ?? "stop"];
  const planned = pausesOf(parts).flatMap(({ from, to }) => [
    ...moment(from, "Pause", `${off} until it continues`, nowSeconds),
    ...(to === pausedUntil ? [] : moment(to, "Continues", "the pause of its run ends", nowSeconds)),
  ]);
  return [...planned, ...moment(pausedUntil, "Continues", "the pause of its run ends", nowSeconds)];
}

/** The life of an object as far as it is known and planned, in order of time. Pure. */
export function lifeOf(object: Resource, row: Row, decision: CompactDecision | null, nowSeconds: number): Moment[] {
  const { metadata, status = {} } = object;
  const { deletesAt, pausedUntil } = status;
  const conditions = toldConditions(object).flatMap(({ type, status: value, reason, message, lastTransitionTime }) =>
    moment(lastTransitionTime, `${type} ${value}`, [reason, message].filter(Boolean).join(": "), nowSeconds),
  );
  const all = [
    ...moment(row.created, "Created", "the object was admitted", nowSeconds),
    ...signedMoment(object, nowSeconds),
    ...moveMoments(decision?.moves, nowSeconds),
    ...moment(row.startsAt, "Start", row.place ?? "", nowSeconds),
    ...moment(metadata.annotations?.[ANNOTATION.started], "Resumed", "its pause ended", nowSeconds),
    ...conditions,
    ...pauseMoments(row, pausedUntil, nowSeconds),
    ...moment(row.endsAt, "End", "its run is over", nowSeconds),
    ...moment(deletesAt, "Deletion", "its resources are deleted", nowSeconds),
    ...moment(row.deadline, "Deadline", "its run has to be over", nowSeconds),
    ...moment(metadata.deletionTimestamp, "Deletion asked", "", nowSeconds),
  ];
  return all.sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
}
