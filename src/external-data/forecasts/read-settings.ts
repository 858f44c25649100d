import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import schema from "../../../schemas/forecast-settings.schema.json" with { type: "json" };
import { LandfallError, messageOf } from "../../errors.ts";
import { parseYamlFile } from "../../model/file-faults/parse-yaml.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { firstProblem } from "../../model/wrong-value/first-problem.ts";

/** How a service is requested: schemas/forecast-settings.schema.json documents fields and defaults. */
export interface HttpSettings {
  timeoutMs: number;
  retries: number;
  parallel: number;
  breakAfter: number;
  breakSeconds: number;
}

interface Named {
  name: string;
}
interface Asked extends Named {
  zones: string[];
}
interface Renewed {
  refreshMinutes: number;
  maxAgeHours: number;
}
interface Service {
  url: string;
  tokenFile: string | null;
  http: HttpSettings;
}

export type FileSettings = Asked & { type: "file"; path: string };
export type ElectricityMapsSettings = Asked & Service & { type: "electricity-maps" };
export type CarbonAwareSettings = Named & Service & { type: "carbon-aware-sdk"; locations: Record<string, string> };
export type InferenceSettings = Asked &
  Service & { type: "open-inference"; model: string; measured: string; horizonHours: number; historyHours: number };

export type EmbeddedSettings = Asked & { type: "embedded"; measured: string };

export type SourceSettings = Renewed &
  (
    | FileSettings
    | (ElectricityMapsSettings & { horizonHours: number })
    | CarbonAwareSettings
    | InferenceSettings
    | EmbeddedSettings
  );
export type MeasuredSettings = FileSettings | ElectricityMapsSettings;

export interface ForecastSettings {
  sources: SourceSettings[];
  measured: MeasuredSettings[];
  /** gCO2eq/kWh */
  maxIntensity: number;
}

const ELECTRICITY_MAPS = "https://api.electricitymaps.com";

const validate = compileSchema<ForecastSettings>(schema, { strict: false, useDefaults: true });

/** Checks that the schema cannot express: names that refer to each other. */
function crossChecked({ sources, measured }: ForecastSettings): string | null {
  for (const list of [sources, measured]) {
    const names = list.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) return `two sources are called ${twice}`;
  }
  for (const source of sources) {
    if (!("measured" in source) || measured.some(({ name }) => name === source.measured)) continue;
    return `${source.name} wants measured hours of ${source.measured}, which is not listed under measured`;
  }
  return null;
}

/** Paths are relative to the settings' folder; a source with a well-known public address needs none. */
function located<T extends SourceSettings | MeasuredSettings>(source: T, folder: string): T {
  if (source.type === "file") return { ...source, path: resolve(folder, source.path) };
  if (source.type === "embedded") return source;
  const tokenFile = source.tokenFile === null ? null : resolve(folder, source.tokenFile);
  // Only Electricity Maps may omit it.
  const url = ((source as { url?: string }).url ?? ELECTRICITY_MAPS).replace(/\/+$/, "");
  return { ...source, tokenFile, url };
}

/** Settings from a parsed value; `file` is for messages and relative paths. Throws FORECAST_SETTINGS. */
export function checkForecastSettings(value: unknown, file: string): ForecastSettings {
  const settings: unknown = structuredClone(value ?? {});
  if (!validate(settings))
    throw new LandfallError("FORECAST_SETTINGS", { file, detail: firstProblem(schema, value ?? {}, validate.errors) });
  const detail = crossChecked(settings);
  if (detail !== null) throw new LandfallError("FORECAST_SETTINGS", { file, detail });
  const folder = dirname(file);
  return {
    ...settings,
    sources: settings.sources.map((source) => located(source, folder)),
    measured: settings.measured.map((source) => located(source, folder)),
  };
}

/** Reads the forecast settings (YAML or JSON). Throws FORECAST_SETTINGS. */
export async function readForecastSettings(file: string): Promise<ForecastSettings> {
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    throw new LandfallError("FORECAST_SETTINGS", { file, detail: messageOf(thrown) }, thrown);
  });
  const parsed = parseYamlFile(text);
  if ("value" in parsed) return checkForecastSettings(parsed.value, file);
  throw new LandfallError("FORECAST_SETTINGS", { file, detail: parsed.problem });
}
