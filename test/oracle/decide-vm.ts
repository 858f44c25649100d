import { HOUR_SECONDS } from "../../src/model/time.ts";
import { placeNames, places, residency, settings } from "./catalog.ts";
import type { OracleAnswer, OracleRequest } from "./request.ts";
import {
  allowedProviders,
  floorsOf,
  hasZone,
  limitsOf,
  list,
  originOf,
  preferNear,
  type Rule,
  rulesOf,
  typeFor,
} from "./rules.ts";

/** `3h` and RFC 3339: the only formats in the oracle's requests. */
const seconds = (duration: string | undefined): number => Number(duration?.replace("h", "") ?? 0) * HOUR_SECONDS;

function timeCodes({ spec, nowSeconds }: OracleRequest): string[] {
  if (spec.deadline === undefined) return [];
  const deadline = Date.parse(spec.deadline) / 1000;
  if (deadline <= nowSeconds) return ["ADM_DEADLINE_PAST"];
  return deadline < nowSeconds + seconds(spec.duration) ? ["ADM_DEADLINE_TOO_SHORT"] : [];
}

const OBJECTIVES = ["carbon", "cost", "latency", "balanced"];

function namespaceCodes({ annotations }: OracleRequest): string[] {
  const bad = (key: string, good: (value: string) => boolean): boolean => {
    const value = annotations[`landfall.dev/${key}`];
    return value !== undefined && !good(value);
  };
  const each = (known: readonly string[]) => (value: string) =>
    (list(value) ?? []).every((part) => known.includes(part));
  const wrong =
    bad("providers", each(["azure", "aws", "gcp", "elemento"])) ||
    bad("regions", each(placeNames)) ||
    ["providers", "regions", "families", "residency"].some((key) => bad(key, (value) => list(value)?.length !== 0)) ||
    bad("when-done", (value) => ["delete", "stop", "keep"].includes(value)) ||
    bad("families", each(settings.families)) ||
    bad("max-latency", (value) => /^\d{1,9}$/.test(value)) ||
    bad("estimates", (value) => ["true", "false"].includes(value)) ||
    bad("optimize-for", (value) => OBJECTIVES.includes(value));
  return wrong ? ["POL_NAMESPACE_SETTING"] : [];
}

function originCodes(request: OracleRequest): string[] {
  const origin = originOf(request);
  const origins = limitsOf(request).map((limit) => limit.origin);
  const used = origin === null && origins.length === 0 ? [] : [origin, ...origins];
  return used.every((one) => one !== null && one in places) ? [] : ["POL_UNKNOWN_ORIGIN"];
}

/** Whether the region exists only at providers that are not allowed. */
function isElsewhere(request: OracleRequest): boolean {
  const { provider, schedulingLocation: region } = request.spec;
  const sellers = Object.values(places).filter((place) => place.region === region);
  const allowed = allowedProviders(request);
  return provider === undefined && sellers.length > 0 && !sellers.some((place) => allowed.includes(place.provider));
}

/** The settings of the oracle allow no image and no network of another owner; Google Cloud's form is project/family. */
const namesImageOwner = (image = ""): boolean => image.includes("/") && !image.includes(":");

const namesOwner = ({ network = "", subnet = "" }: { network?: string; subnet?: string } = {}): boolean =>
  `${network}${subnet}`.includes("/");

/** At Google Cloud, a path has exactly one project, in its place. */
const GOOGLE_NETWORK = /^projects\/[^/]+\/(global\/networks|regions\/[^/]+\/subnetworks)\/[^/]+$/;
const GOOGLE_IMAGE = /^([^/]+|projects\/[^/]+\/global\/images(\/family)?)\/[^/]+$/;

function googleCodes({ spec }: OracleRequest): string[] {
  const { network, subnet } = spec.network?.existing ?? {};
  const ids = [network, subnet].filter((id) => id?.includes("/"));
  const isOneProject =
    (spec.provider !== "gcp" || ids.every((id) => GOOGLE_NETWORK.test(id ?? ""))) &&
    (!namesImageOwner(spec.image) || GOOGLE_IMAGE.test(spec.image ?? ""));
  return isOneProject ? [] : ["POL_GOOGLE_NAME"];
}

const foreignCodes = ({ spec }: OracleRequest): string[] => [
  ...(namesImageOwner(spec.image) ? ["POL_IMAGE_FOREIGN"] : []),
  ...(namesOwner(spec.network?.existing) ? ["POL_NETWORK_FOREIGN"] : []),
];

function providerCodes(request: OracleRequest): string[] {
  const { provider, schedulingLocation, network } = request.spec;
  const unpinned = provider === undefined || schedulingLocation === undefined;
  return [
    ...(provider !== undefined && !allowedProviders(request).includes(provider) ? ["POL_PROVIDER"] : []),
    ...(isElsewhere(request) ? ["POL_PROVIDER"] : []),
    ...(provider === "elemento" && request.spec.capacity === "spot" ? ["POL_SPOT"] : []),
    ...(network?.existing !== undefined && unpinned ? ["POL_NETWORK_UNPINNED"] : []),
  ];
}

function regionCodes({ spec }: OracleRequest): string[] {
  const { provider, schedulingLocation: region, zone } = spec;
  if (region === undefined) return [];
  const there = Object.values(places).filter(
    (place) => place.region === region && (provider ?? place.provider) === place.provider,
  );
  if (there.length === 0) return ["POL_UNKNOWN_REGION"];
  return zone !== undefined && !there.some((place) => hasZone(place, zone)) ? ["POL_ZONE"] : [];
}

function areaCodes(request: OracleRequest): string[] {
  const known = (area: string): boolean => area in residency.areas || residency.countries.includes(area);
  return floorsOf(request).flat().every(known) ? [] : ["POL_UNKNOWN_AREA"];
}

/** The codes for invalid names and settings, independent of the places. */
export const generalCodes = (request: OracleRequest): string[] =>
  [namespaceCodes, originCodes, providerCodes, foreignCodes, googleCodes, regionCodes, areaCodes].flatMap((check) =>
    check(request),
  );

/** The places that match the object's own pins, at the allowed providers. */
export function pinned(request: OracleRequest): string[] {
  const { provider, schedulingLocation: region, zone } = request.spec;
  const providers = allowedProviders(request);
  return placeNames.filter((name) => {
    const place = places[name];
    if (place === undefined || !providers.includes(place.provider)) return false;
    if (provider !== undefined && place.provider !== provider) return false;
    if (region !== undefined && place.region !== region) return false;
    return zone === undefined || hasZone(place, zone);
  });
}

/** The rule that removed the last place, if none remains, and the places before it. */
export function narrow(
  names: string[],
  rules: readonly Rule[],
): { left: string[]; refusedBy: string | null; before: string[] } {
  let left = names;
  let before = names;
  for (const { code, keeps } of rules) {
    before = left;
    const kept = left.filter((name) => {
      const place = places[name];
      return place !== undefined && keeps(name, place);
    });
    if (left.length > 0 && kept.length === 0) return { left: kept, refusedBy: code, before };
    left = kept;
  }
  return { left, refusedBy: null, before };
}

/** The code of a rule that removed the last place: if a type was there on demand, that it is not sold as spot. */
function lastCodes(
  request: OracleRequest,
  start: string[],
  { refusedBy, before }: ReturnType<typeof narrow>,
): string[] {
  const { spec } = request;
  const onDemand = { ...request, spec: { ...spec, capacity: "on-demand" } };
  const isSold = before.some((name) => places[name] !== undefined && typeFor(onDemand, places[name]) !== null);
  if (refusedBy === "POL_FLAVOUR" && isSold) return ["POL_SPOT"];
  const noType = refusedBy === "POL_INSTANCE_TYPE" && before.length > 1;
  const onlyOne = spec.schedulingLocation !== undefined && start.length === 1;
  return refusedBy !== null && (onlyOne || noType) ? [refusedBy] : [];
}

/** The answer for a VmTemplate, by plain loops over every place and every type. */
export function decideVm(request: OracleRequest): OracleAnswer {
  const times = timeCodes(request);
  if (times.length > 0) return { allowed: false, codes: times, candidates: {} };
  const start = pinned(request);
  const narrowed = narrow(start, rulesOf(request));
  const { left } = narrowed;
  const codes = [...generalCodes(request), ...lastCodes(request, start, narrowed)];
  if (codes.length === 0 && left.length === 0) codes.push("PLACEMENT_NONE");
  if (codes.length > 0) return { allowed: false, codes: [...new Set(codes)].sort(), candidates: {} };
  const typed = preferNear(request, left).map((name) => {
    const place = places[name];
    return [name, place === undefined ? "" : (typeFor(request, place) ?? "")];
  });
  return { allowed: true, codes: [], candidates: Object.fromEntries(typed) as Record<string, string> };
}
