import type { Denial, Placement } from "../../../model/decision.ts";
import { readDecision } from "../../../model/decision-annotation/compact-decision.ts";
import { startsLater } from "../../../model/decision-annotation/pause.ts";
import { ANNOTATION } from "../../../model/names.ts";
import { formatTime } from "../../../model/time.ts";
import { type PlaceKey, placeName } from "../../../model/workload.ts";
import { denial, shown } from "../../check/denial.ts";
import type { AdmissionContext } from "../../types.ts";
import { annotation, specOf, type Update } from "../change.ts";
import type { Pins } from "./in-place.ts";

// An object without a valid decision can have releases: its annotations were changed while no webhook was called, or its key was lost.
// Nothing in it says then what runs, but the records of its releases do.

/** The places where a controller recorded releases of the object, the newest first. Records of earlier versions confirm the place of its decision alone. */
function recordedPlaces({ oldObject }: Update, { owners }: AdmissionContext): PlaceKey[] {
  const running = owners.runningOf(oldObject).map(({ place }) => place);
  const { placement } = readDecision(oldObject) ?? {};
  if (running.length > 0 || placement === undefined) return [...new Set(running)];
  const place = placeName(placement);
  return owners.isInstalled(oldObject, place) ? [place] : [];
}

/** Whether what the user wrote leaves the object in this place. */
function staysIn(place: PlaceKey, { object }: Update): boolean {
  const { provider, schedulingLocation } = specOf(object);
  const [itsProvider = "", region = ""] = place.split("/");
  return (provider ?? itsProvider) === itsProvider && (schedulingLocation ?? region) === region;
}

/** The place and the start that stay as recorded, as far as the object's user names no others. */
export function recordedPins(update: Update, context: AdmissionContext): Pins {
  const places = recordedPlaces(update, context);
  if (places.length === 0) return {};
  const { schedulingTime } = specOf(update.object);
  const start = schedulingTime === undefined ? { schedulingTime: formatTime(context.nowSeconds) } : {};
  const [provider, region] = places.find((one) => staysIn(one, update))?.split("/") ?? [];
  return provider === undefined || region === undefined ? start : { ...start, provider, schedulingLocation: region };
}

/** Denials of what would free quotas and budgets of what is recorded: a start in the future, and another place. */
export function recordedDenials(update: Update, context: AdmissionContext, to: Placement | null): Denial[] {
  const places = recordedPlaces(update, context);
  const [from] = places;
  if (from === undefined) return [];
  const { schedulingTime: wanted } = specOf(update.object);
  const isLater = typeof wanted === "string" && startsLater(wanted, context.nowSeconds);
  const start = update.oldObject.metadata.creationTimestamp ?? formatTime(context.nowSeconds);
  const started = isLater
    ? [denial("ADM_STARTED", { field: "spec.schedulingTime", actual: start }, { wanted: shown(wanted), start })]
    : [];
  if (annotation(update.object, ANNOTATION.allowMove) === "true" || places.some((one) => staysIn(one, update)))
    return [...started, ...retained(update, context, to)];
  const { provider, schedulingLocation } = specOf(update.object);
  const [itsProvider, region] = from.split("/");
  const asked = `${shown(provider ?? itsProvider)}/${shown(schedulingLocation ?? region)}`;
  const where = { field: "spec.schedulingLocation", actual: asked, allowed: from };
  return [...started, denial("ADM_MOVE", where, { from, to: asked })];
}

/** Retained resources stay in the place where they are. */
function retained({ oldObject }: Update, { owners }: AdmissionContext, to: Placement | null): Denial[] {
  const left = owners
    .runningOf(oldObject)
    .find(({ retains, place }) => retains === true && to !== null && place !== placeName(to));
  if (left === undefined || to === null) return [];
  const where = { field: "spec.schedulingLocation", actual: placeName(to) };
  return [denial("ADM_RETAINED", where, { what: `everything in ${left.place}` })];
}
