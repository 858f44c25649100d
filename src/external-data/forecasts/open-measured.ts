import { join } from "node:path";
import { accumulate } from "./accumulate.ts";
import { measuredByElectricityMaps } from "./electricity-maps.ts";
import { figuresOfFile } from "./figures-of-file.ts";
import { measuredFile } from "./measured-file.ts";
import type { MeasuredSettings } from "./read-settings.ts";
import type { Supplier } from "./supplier.ts";

/** Measured hours are kept for this long: a leap year. */
const KEPT_HOURS = 8784;

export interface MeasuredNeeds {
  /** Folder where measured hours are stored across restarts; null: none. */
  folder: string | null;
  /** Ms since 1970; default: the system's clock. */
  nowMs?: () => number;
}

/** A source of measured hours. Those of a service, which returns one day, are accumulated. */
export function openMeasured(settings: MeasuredSettings, maxIntensity: number, needs: MeasuredNeeds): Supplier {
  const { folder, nowMs = Date.now } = needs;
  const kept = { source: settings.name, most: KEPT_HOURS, nowMs };
  // A file is complete: nothing has to be accumulated.
  if (settings.type === "file") return accumulate(figuresOfFile(settings, maxIntensity), kept, null);
  const { name } = settings;
  const file = folder === null ? null : measuredFile(join(folder, `${name}.json`), name, maxIntensity);
  return accumulate(measuredByElectricityMaps(settings, maxIntensity), kept, file);
}
