import type { MergedPrices, RefreshedPlace } from "../../../../bundle/catalog/refresh/merge-prices.ts";
import type { Outlier } from "../../../../bundle/catalog/sanity/find-outliers.ts";
import { omitted } from "../../../../bundle/catalog/sanity/read-omitted.ts";
import type { Cli } from "../../../cli.ts";
import { plainTable } from "../../../output/plain-table.ts";
import { outlierLine } from "../outlier-line.ts";

/** The result of a refresh, as JSON. */
export interface RefreshReport {
  places: (Omit<RefreshedPlace, "kept"> & { kept: { code: string; message: string } | null })[];
  /** Prices of the lists that cannot be true, and are omitted. */
  omitted: Outlier[];
  /** Name of the figures -> their date. */
  dates: Record<string, string>;
}

export const reportOf = ({ places, outliers, instanceTypes }: MergedPrices): RefreshReport => ({
  places: places.map((place) => ({
    ...place,
    kept: place.kept === null ? null : { code: place.kept.code, message: place.kept.message },
  })),
  omitted: omitted(outliers),
  dates: instanceTypes.dates,
});

/** More with `-o wide`. */
const SHOWN = 20;

const sum = (places: RefreshReport["places"], figure: "known" | "listed" | "added"): number =>
  places.reduce((total, place) => total + place[figure], 0);

/** The change of the middle one of a provider's places: +2.1 %. */
function changeOf(places: RefreshReport["places"]): string {
  const factors = places.flatMap(({ factor, kept }) => (factor === null || kept !== null ? [] : [factor]));
  const middle = factors.toSorted((a, b) => a - b)[Math.floor((factors.length - 1) / 2)];
  if (middle === undefined) return "-";
  const percent = (middle - 1) * 100;
  return `${percent > 0 ? "+" : ""}${percent.toFixed(1)} %`;
}

const percentOf = (part: number, whole: number): string =>
  whole === 0 ? "-" : `${String(Math.floor((100 * part) / whole))} %`;

function rows({ places, omitted: outliers }: RefreshReport): string[][] {
  const byProvider = Map.groupBy(places, ({ place }) => place.split("/")[0] ?? "");
  return [...byProvider].map(([provider, all]) => {
    const fresh = all.filter(({ kept, listed }) => kept === null && listed > 0);
    const kept = all.filter((place) => place.kept !== null);
    const own = outliers.filter((one) => one.provider === provider);
    return [
      ...[provider, String(all.length), String(fresh.length), String(kept.length)],
      ...[percentOf(sum(fresh, "listed"), sum(fresh, "known")), String(sum(fresh, "added")), String(own.length)],
      changeOf(all),
    ];
  });
}

/** The result of a refresh, for a terminal. */
export function refreshText(report: RefreshReport, isWide: boolean, cli: Cli): string {
  const head = ["PLACES", "NEW", "KEPT", "TYPES LISTED", "ADDED", "OMITTED", "MEDIAN CHANGE"] as const;
  const table = plainTable([["PROVIDER"], ...head.map((title) => [title, "right"] as const)], rows(report), cli.colors);
  const { omitted: outliers } = report;
  const shown = isWide ? outliers.length : SHOWN;
  const more = outliers.length - shown;
  const list = [
    ...outliers.slice(0, shown).map((one) => `  ${outlierLine(one)}`),
    ...(more > 0 ? [`  and ${String(more)} more (-o wide lists them)`] : []),
  ];
  return [
    ...table,
    ...(list.length === 0 ? [] : ["", "omitted, because they cannot be true:", ...list]),
    ...["", "dates of the figures:"],
    ...Object.entries(report.dates).map(([what, date]) => `  ${what}: ${date}`),
    ...["", ""],
  ].join("\n");
}
