import { HOUR_SECONDS } from "../../src/model/time.ts";
import { placeNames, places, residency, settings } from "./facts.ts";
import type { OracleAnswer, OracleQuestion } from "./question.ts";
import { allowedProviders, floorsOf, hasZone, limitOf, list, originOf, type Rule, rulesOf, typeFor } from "./rules.ts";

/** `3h` and RFC 3339: all that the oracle's questions use. */
const seconds = (duration: string | undefined): number => Number(duration?.replace("h", "") ?? 0) * HOUR_SECONDS;

function timeCodes({ spec, nowSeconds }: OracleQuestion): string[] {
  if (spec.deadline === undefined) return [];
  const deadline = Date.parse(spec.deadline) / 1000;
  if (deadline <= nowSeconds) return ["ADM_DEADLINE_PAST"];
  return deadline < nowSeconds + seconds(spec.duration) ? ["ADM_DEADLINE_TOO_SHORT"] : [];
}

const OBJECTIVES = ["carbon", "cost", "latency", "balanced"];

function namespaceCodes({ annotations }: OracleQuestion): string[] {
  const bad = (key: string, good: (value: string) => boolean): boolean => {
    const value = annotations[`landfall.dev/${key}`];
    return value !== undefined && !good(value);
  };
  const each = (known: readonly string[]) => (value: string) =>
    (list(value) ?? []).every((part) => known.includes(part));
  const wrong =
    bad("providers", each(["azure", "aws", "gcp", "elemento"])) ||
    bad("regions", each(placeNames)) ||
    bad("families", each(settings.families)) ||
    bad("max-latency", (value) => /^\d{1,9}$/.test(value)) ||
    bad("estimates", (value) => ["true", "false"].includes(value)) ||
    bad("optimize-for", (value) => OBJECTIVES.includes(value));
  return wrong ? ["POL_NAMESPACE_SETTING"] : [];
}

function originCodes(question: OracleQuestion): string[] {
  const origin = originOf(question);
  if (origin === null) return limitOf(question) === null ? [] : ["POL_UNKNOWN_ORIGIN"];
  return origin in places ? [] : ["POL_UNKNOWN_ORIGIN"];
}

/** Whether the region exists, but only at providers that are not allowed. */
function isElsewhere(question: OracleQuestion): boolean {
  const { provider, schedulingLocation: region } = question.spec;
  const sellers = Object.values(places).filter((place) => place.region === region);
  const allowed = allowedProviders(question);
  return provider === undefined && sellers.length > 0 && !sellers.some((place) => allowed.includes(place.provider));
}

function providerCodes(question: OracleQuestion): string[] {
  const { provider, schedulingLocation, network } = question.spec;
  const unpinned = provider === undefined || schedulingLocation === undefined;
  return [
    ...(provider !== undefined && !allowedProviders(question).includes(provider) ? ["POL_PROVIDER"] : []),
    ...(isElsewhere(question) ? ["POL_PROVIDER"] : []),
    ...(network?.existing !== undefined && unpinned ? ["POL_NETWORK_UNPINNED"] : []),
  ];
}

function regionCodes({ spec }: OracleQuestion): string[] {
  const { provider, schedulingLocation: region, zone } = spec;
  if (region === undefined) return [];
  const there = Object.values(places).filter(
    (place) => place.region === region && (provider ?? place.provider) === place.provider,
  );
  if (there.length === 0) return ["POL_UNKNOWN_REGION"];
  return zone !== undefined && !there.some((place) => hasZone(place, zone)) ? ["POL_ZONE"] : [];
}

function areaCodes(question: OracleQuestion): string[] {
  const known = (area: string): boolean => area in residency.areas || residency.countries.includes(area);
  return floorsOf(question).flat().every(known) ? [] : ["POL_UNKNOWN_AREA"];
}

/** What is wrong with the names and settings that the question uses, whatever the places are. */
export const generalCodes = (question: OracleQuestion): string[] =>
  [namespaceCodes, originCodes, providerCodes, regionCodes, areaCodes].flatMap((check) => check(question));

/** The places that the object's own pins leave, out of those of the allowed providers. */
export function pinned(question: OracleQuestion): string[] {
  const { provider, schedulingLocation: region, zone } = question.spec;
  const providers = allowedProviders(question);
  return placeNames.filter((name) => {
    const place = places[name];
    if (place === undefined || !providers.includes(place.provider)) return false;
    if (provider !== undefined && place.provider !== provider) return false;
    if (region !== undefined && place.region !== region) return false;
    return zone === undefined || hasZone(place, zone);
  });
}

/** Which rule left nothing, where nothing is left; and what the rule before the last one left. */
export function narrow(
  names: string[],
  rules: readonly Rule[],
): { left: string[]; refusedBy: string | null; before: number } {
  let left = names;
  let before = names.length;
  for (const { code, keeps } of rules) {
    before = left.length;
    const kept = left.filter((name) => {
      const place = places[name];
      return place !== undefined && keeps(name, place);
    });
    if (left.length > 0 && kept.length === 0) return { left: kept, refusedBy: code, before };
    left = kept;
  }
  return { left, refusedBy: null, before };
}

/** The answer for a VmTemplate, by plain loops over every place and every type. */
export function decideVm(question: OracleQuestion): OracleAnswer {
  const times = timeCodes(question);
  if (times.length > 0) return { allowed: false, codes: times, candidates: {} };
  const start = pinned(question);
  const { left, refusedBy, before } = narrow(start, rulesOf(question));
  const onlyOne = question.spec.schedulingLocation !== undefined && start.length === 1;
  const noType = refusedBy === "POL_INSTANCE_TYPE" && before > 1;
  const codes = [
    ...generalCodes(question),
    ...(refusedBy !== null && onlyOne ? [refusedBy] : []),
    ...(noType ? ["POL_INSTANCE_TYPE"] : []),
  ];
  if (codes.length === 0 && left.length === 0) codes.push("PLACEMENT_NONE");
  if (codes.length > 0) return { allowed: false, codes: [...new Set(codes)].sort(), candidates: {} };
  const typed = left.map((name) => {
    const place = places[name];
    return [name, place === undefined ? "" : (typeFor(question, place) ?? "")];
  });
  return { allowed: true, codes: [], candidates: Object.fromEntries(typed) as Record<string, string> };
}
