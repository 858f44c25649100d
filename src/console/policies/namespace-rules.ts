import type { NamespaceData } from "../../model/kubernetes.ts";
import { HOURS_PER_MONTH } from "../../model/cluster-data.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import type { Namespaces, Quota } from "../contract/policies.ts";
import type { Row } from "../contract/rows.ts";
import { askRules, settingDenials } from "../map/places-map.ts";
import type { Geography } from "../map/read-geography.ts";

export interface NamespaceRequest {
  policy: LoadedBundle;
  namespace: NamespaceData;
  /** All objects, or those of the namespace; null if the user cannot list them. */
  rows: readonly Row[] | null;
  nowSeconds: number;
}

/** The answer of the rules about a machine that asks for nothing else. */
export type Rules = ReturnType<typeof askRules>;

export const rulesFor = ({ policy, namespace, nowSeconds }: Omit<NamespaceRequest, "rows">): Rules =>
  askRules({ policy, namespace, nowSeconds, origin: null });

/** Why settings deny every object; empty if they do not. */
const reasons = (rules: Rules): string[] => settingDenials(rules).map(({ message }) => message);

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const UNITS = { objects: "objects", vcpus: "vCPU", memoryGiB: "GiB", pricePerMonth: "USD a month" } as const;

/** The limits of a namespace's quota with what its objects hold, counted as the webhook counts. Pure. */
export function quotasOf(asked: NamespaceRequest, { quota = {} }: Pick<Rules, "quota"> = rulesFor(asked)): Quota[] {
  const { namespace, rows } = asked;
  const own = (rows ?? []).filter((row) => row.counts && row.namespace === namespace.name);
  const used = {
    objects: () => own.length,
    vcpus: () => sum(own.map(({ vcpus }) => vcpus)),
    memoryGiB: () => sum(own.map(({ memoryGiB }) => memoryGiB)),
    pricePerMonth: () => sum(own.map(({ mostUsdPerHour }) => (mostUsdPerHour ?? 0) * HOURS_PER_MONTH)),
  } as const;
  return (Object.keys(UNITS) as (keyof typeof UNITS)[]).flatMap((what) => {
    const limit = quota[what];
    return typeof limit === "number"
      ? [{ what: UNITS[what], limit, used: rows === null ? null : Math.round(used[what]()) }]
      : [];
  });
}

/** How many places the rules leave a machine that asks for nothing else, in a country if one is given. Pure. */
export function placesLeft(
  asked: Omit<NamespaceRequest, "rows">,
  { towns }: Geography,
  country: string | null,
  rules: Rules = rulesFor(asked),
): Omit<Namespaces["namespaces"][number], "namespace" | "quotas"> {
  const { candidates, rejected } = rules;
  const isIn = (place: string): boolean => country === null || towns.get(place)?.country === country;
  const { policy } = asked;
  const removing = Object.entries(rejected).flatMap(([rule, removed]) => {
    const places = removed.filter(isIn).length;
    return places === 0 ? [] : [{ rule, places }];
  });
  const left = candidates.filter(({ place }) => isIn(place)).length;
  return {
    places: Object.keys(policy.catalog.places).filter(isIn).length,
    left,
    rules: removing,
    denials: reasons(rules),
  };
}
