import { intensityCurves } from "../../admission/decide/intensity-curves.ts";
import { policyInput } from "../../admission/decide/policy-input.ts";
import { readRequest } from "../../admission/check/read-request.ts";
import { fedZones } from "../../model/places/catalog.ts";
import type { NamespaceData } from "../../model/kubernetes.ts";
import type { ForecastBook } from "../../model/places/forecast.ts";
import { API_VERSION } from "../../model/names.ts";
import type { PolicyDenial, PolicyResult } from "../../model/policy.ts";
import { formatTime, HOUR_SECONDS } from "../../model/time.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import type { MapPlace, MapZone, PlacesMap } from "../contract/map.ts";
import type { Row } from "../contract/rows.ts";
import { runsAt } from "../objects/runs-at.ts";
import type { Geography, Town } from "./read-geography.ts";

/** How far the map looks ahead, in hours. */
const HOURS = 48;
/** The machine whose price and rules are shown. */
const SIZE = { cpu: 2, memoryGiB: 8 } as const;

export interface MapRequest {
  policy: LoadedBundle;
  /** Null for the bundle's climatology alone. */
  forecasts: ForecastBook | null;
  geography: Geography;
  namespace: NamespaceData;
  rows: readonly Row[];
  /** Null for the namespace's own, or the platform's. */
  origin: string | null;
  nowSeconds: number;
  /** When objects are counted. */
  atSeconds: number;
}

/** The codes of denials for what the namespace or the platform sets: they hold in every place. */
const OF_SETTINGS = new Set(["POL_NAMESPACE_SETTING", "POL_UNKNOWN_ORIGIN"]);

/** The denials for settings that no decision can use: while there is one, a machine that sets nothing itself is denied. */
export const settingDenials = ({ denials }: Pick<PolicyResult, "denials">): PolicyDenial[] =>
  denials.filter(({ code }) => OF_SETTINGS.has(code));

/** An answer in which a setting that denies everything has removed every place. */
function closed(result: PolicyResult, { catalog }: LoadedBundle): PolicyResult {
  if (settingDenials(result).length === 0) return result;
  return { ...result, candidates: [], rejected: { wrongSetting: Object.keys(catalog.places) } };
}

/** The rules' answer about a machine of SIZE that asks for nothing else. Pure. */
export function askRules({
  policy,
  namespace,
  origin,
  nowSeconds,
}: Pick<MapRequest, "policy" | "namespace" | "origin" | "nowSeconds">): PolicyResult {
  const spec = { cpu: SIZE.cpu, memory: SIZE.memoryGiB, ...(origin === null ? {} : { origin }) };
  const metadata = { name: "map", namespace: namespace.name };
  const object = { apiVersion: API_VERSION, kind: "VmTemplate", metadata, spec };
  const request = readRequest("VmTemplate", object);
  const asked = { object, request, namespace, nowSeconds, operation: "CREATE", relatedWorkloads: null } as const;
  return closed(policy.evaluate(policyInput(asked)), policy);
}

interface Load {
  objects: number;
  vcpus: number;
}

function loads({ rows, atSeconds }: MapRequest): Map<string, Load> {
  const found = new Map<string, Load>();
  for (const row of rows) {
    if (row.place === null || !runsAt(row, atSeconds)) continue;
    const { objects, vcpus } = found.get(row.place) ?? { objects: 0, vcpus: 0 };
    found.set(row.place, { objects: objects + 1, vcpus: vcpus + row.vcpus });
  }
  return found;
}

function zonesOf({ policy, nowSeconds, forecasts }: MapRequest, from: number): MapZone[] {
  const curves = intensityCurves({ policy, nowSeconds, forecasts });
  return fedZones(policy.catalog).flatMap((zone) => {
    const curve = curves.get(zone);
    if (curve === undefined) return [];
    const hours = Array.from({ length: HOURS }, (_, hour) => curve.meanOver(from + hour * HOUR_SECONDS, HOUR_SECONDS));
    return [{ zone, source: curve.source, hours }];
  });
}

const NOWHERE: Town = { display: "", country: "", latitude: null, longitude: null };

/** Every place with its town, its offer, its load, and the rule that removes it; and the hours of its electricity zone. Pure. */
export function placesMap(asked: MapRequest): Omit<PlacesMap, "current" | "readable"> {
  const { policy, geography, nowSeconds } = asked;
  const from = nowSeconds - (nowSeconds % HOUR_SECONDS);
  const rules = askRules(asked);
  const { candidates, rejected, origin } = rules;
  const offers = new Map(candidates.map((candidate) => [candidate.place, candidate]));
  const removedBy = new Map(Object.entries(rejected).flatMap(([rule, places]) => places.map((place) => [place, rule])));
  const byPlace = loads(asked);
  const places = Object.entries(policy.catalog.places).map(([place, { electricityZone }]): MapPlace => {
    const offer = offers.get(place);
    return {
      ...{ place, ...(geography.towns.get(place) ?? NOWHERE), zone: electricityZone },
      rule: removedBy.get(place) ?? null,
      usdPerHour: offer?.pricePerHour ?? null,
      latencyMs: offer?.latencyMs ?? null,
      latencyEstimated: offer?.latencySource === "estimated",
      ...(byPlace.get(place) ?? { objects: 0, vcpus: 0 }),
    };
  });
  return {
    ...{ from: formatTime(from), hours: HOURS, size: SIZE, origin, places, zones: zonesOf(asked, from) },
    denials: settingDenials(rules).map(({ message }) => message),
    circles: origin === null ? [] : geography.circlesFrom(origin),
  };
}
