import { resolve } from "node:path";
import type { CatalogFiles } from "../../../../bundle/catalog/catalog-files.ts";
import { type MeasuredZone, mergeCarbon, type RefreshedZone } from "../../../../bundle/catalog/refresh/merge-carbon.ts";
import { openMeasured } from "../../../../external-data/forecasts/open-measured.ts";
import { type ForecastSettings, readForecastSettings } from "../../../../external-data/forecasts/read-settings.ts";
import type { Supplied, Supplier } from "../../../../external-data/forecasts/supplier.ts";
import { LandfallError } from "../../../../errors.ts";
import type { Cli } from "../../../cli.ts";
import { plainTable } from "../../../output/plain-table.ts";
import { noteKept } from "./note-kept.ts";
import type { RefreshFlags } from "./refresh-options.ts";
import type { Refreshed } from "./refreshed.ts";

async function settingsOf({ forecastSettings }: RefreshFlags): Promise<ForecastSettings> {
  if (forecastSettings === undefined)
    throw new LandfallError("CLI_USAGE", {
      detail: "carbon needs --forecast-settings, a file with sources of measured hours",
    });
  const settings = await readForecastSettings(forecastSettings);
  if (settings.measured.length > 0) return settings;
  throw new LandfallError("CLI_USAGE", { detail: `${forecastSettings} lists no source under measured` });
}

const fedZones = ({ places }: CatalogFiles["places"]): string[] => {
  const zones = Object.values(places).flatMap(({ electricityZone }) => electricityZone ?? []);
  return [...new Set(zones)].sort();
};

async function askOnce(supplier: Supplier, zones: readonly string[]): Promise<Supplied> {
  try {
    return await supplier.supply(zones);
  } finally {
    await supplier.close();
  }
}

const isMeasured = (zone: MeasuredZone | undefined): boolean =>
  zone !== undefined && !(zone.hours instanceof LandfallError);

/** The measured hours of each zone, from the first source that has some of it. A zone that no source has is omitted. */
async function measuredZones(settings: ForecastSettings, zones: readonly string[], folder: string | null): Promise<MeasuredZone[]> {
  const found = new Map<string, MeasuredZone>();
  for (const source of settings.measured) {
    const asked = (source.zones.length > 0 ? source.zones : zones).filter((zone) => zones.includes(zone));
    const answers = await askOnce(openMeasured(source, settings.maxIntensity, { folder }), asked);
    const better = [...answers].filter(([zone]) => !isMeasured(found.get(zone)));
    for (const [zone, hours] of better) found.set(zone, { zone, source: source.name, hours });
  }
  return [...found.values()].sort((a, b) => (a.zone < b.zone ? -1 : 1));
}

const figure = (value: number | null): string => (value === null ? "-" : String(value));

/** The zones with a new profile; all of them with `-o wide`. */
function text(zones: readonly RefreshedZone[], isWide: boolean, cli: Cli): string {
  const shown = zones.filter(({ kept }) => isWide || kept === null);
  const rows = shown.map(({ zone, hours, yearly, before, kept }) => [
    ...[zone, String(hours), figure(yearly), figure(before), kept === null ? "new" : "kept"],
  ]);
  const head = [["ZONE"], ["HOURS", "right"], ["G CO2E/KWH", "right"], ["BEFORE", "right"], ["PROFILE"]] as const;
  return [...plainTable(head, rows, cli.colors), "", ""].join("\n");
}

/** The catalog with profiles of measured hours. Throws FORECAST_…, CLI_USAGE. */
export async function refreshCarbon(
  cli: Cli,
  { files }: { files: CatalogFiles },
  flags: RefreshFlags,
): Promise<Refreshed> {
  const settings = await settingsOf(flags);
  const folder = flags.history === undefined ? null : resolve(flags.history);
  const measured = await measuredZones(settings, fedZones(files.places), folder);
  const { carbon, zones } = mergeCarbon(files.carbon, measured);
  noteKept(
    cli,
    zones.map(({ zone, kept }) => ({ what: `zone ${zone} keeps its earlier profile`, kept })),
  );
  return {
    files: { ...files, carbon },
    ...{ asked: zones.length, kept: zones.filter(({ kept }) => kept !== null).length },
    report: {
      zones: zones.map((zone) => ({
        ...zone,
        kept: zone.kept === null ? null : { code: zone.kept.code, message: zone.kept.message },
      })),
      dates: carbon.dates,
    },
    text: (isWide) => text(zones, isWide, cli),
    changed: { "carbon.json": carbon },
  };
}
