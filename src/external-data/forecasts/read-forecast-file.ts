import { readFile, stat } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { LandfallError, messageOf } from "../../errors.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { firstProblem } from "../../model/wrong-value/first-problem.ts";
import { parseTime } from "../../model/time.ts";
import { makeForecast, type Point } from "./make-forecast.ts";
import { asForecastError, type Supplied } from "./supplier.ts";

interface ZonePoints {
  points: Point[];
  issuedAt: number | null;
}

interface JsonFile {
  issuedAt?: string;
  zones: Record<
    string,
    { issuedAt?: string; start: string; stepMinutes?: number; values: number[]; low?: number[]; high?: number[] }
  >;
}

const numbers = { type: "array", items: { type: "number" } };
const SCHEMA = {
  type: "object",
  required: ["zones"],
  additionalProperties: false,
  properties: {
    issuedAt: { type: "string" },
    zones: {
      type: "object",
      additionalProperties: {
        type: "object",
        required: ["start", "values"],
        additionalProperties: false,
        properties: {
          issuedAt: { type: "string" },
          start: { type: "string" },
          stepMinutes: { type: "number", exclusiveMinimum: 0 },
          values: numbers,
          low: numbers,
          high: numbers,
        },
      },
    },
  },
};

const validate = compileSchema<JsonFile>(SCHEMA);

const wrong = (file: string, detail: string, cause?: unknown): LandfallError =>
  new LandfallError("FORECAST_FILE", { file, detail }, cause);

function timeIn(file: string, text: string): number {
  const time = parseTime(text);
  if (time === null) throw wrong(file, `${text.slice(0, 40)} is not an RFC 3339 time`);
  return time;
}

function readJson(file: string, text: string): Map<string, ZonePoints> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw wrong(file, messageOf(thrown), thrown);
  }
  if (!validate(value)) throw wrong(file, firstProblem(SCHEMA, value, validate.errors));
  const { issuedAt: ofAll, zones } = value;
  return new Map(
    Object.entries(zones).map(([zone, { issuedAt = ofAll, start, stepMinutes = 60, values, low, high }]) => {
      const first = timeIn(file, start);
      const points = values.map((figure, index) => {
        return { time: first + index * stepMinutes * 60, value: figure, low: low?.[index], high: high?.[index] };
      });
      return [zone, { points, issuedAt: issuedAt === undefined ? null : timeIn(file, issuedAt) }];
    }),
  );
}

const COLUMNS = ["zone", "time", "gco2_per_kwh", "low", "high", "issued_at"];
const NEEDED = COLUMNS.slice(0, 3);

function parseCsv(file: string, text: string): Record<string, string | undefined>[] {
  const check = (header: string[]): string[] => {
    const missing = NEEDED.find((name) => !header.includes(name));
    if (missing !== undefined)
      throw wrong(file, `the first line has no column ${missing}; columns are ${COLUMNS.join()}`);
    return header;
  };
  try {
    return parse(text, { columns: check, bom: true, trim: true, skip_empty_lines: true, comment: "#" });
  } catch (thrown) {
    throw thrown instanceof LandfallError ? thrown : wrong(file, messageOf(thrown), thrown);
  }
}

/** An empty cell has no value; a text that is not a number becomes NaN, which no forecast accepts. */
const figureOf = (text: string | undefined): number | undefined =>
  text === undefined || text === "" ? undefined : Number(text);

function readCsv(file: string, text: string): Map<string, ZonePoints> {
  const zones = new Map<string, ZonePoints>();
  for (const row of parseCsv(file, text)) {
    const { zone = "", time = "", gco2_per_kwh, low, high, issued_at = "" } = row;
    const known = zones.get(zone) ?? { points: [], issuedAt: null };
    const point = { time: timeIn(file, time), value: figureOf(gco2_per_kwh) ?? Number.NaN };
    known.points.push({ ...point, low: figureOf(low), high: figureOf(high) });
    if (issued_at !== "") known.issuedAt = Math.max(known.issuedAt ?? 0, timeIn(file, issued_at));
    zones.set(zone, known);
  }
  return zones;
}

/** Forecasts or measured hours of a CSV or JSON file, by electricity zone. Throws FORECAST_FILE for an invalid file. */
export async function readForecastFile(file: string, source: string, maxIntensity: number): Promise<Supplied> {
  let text: string;
  let written: number;
  try {
    text = await readFile(file, "utf8");
    written = Math.floor((await stat(file)).mtimeMs / 1000);
  } catch (thrown) {
    throw wrong(file, messageOf(thrown), thrown);
  }
  const zones = text.trimStart().startsWith("{") ? readJson(file, text) : readCsv(file, text);
  if (zones.size === 0) throw wrong(file, "it holds no figures");
  const read: Supplied = new Map();
  for (const [zone, { points, issuedAt }] of zones) {
    try {
      const forecast = makeForecast(points, { source, zone, issuedAt, maxIntensity });
      // The time of issue is unknown: the earlier of the file's time and the first value's.
      read.set(zone, issuedAt === null ? { ...forecast, issuedAt: Math.min(forecast.start, written) } : forecast);
    } catch (thrown) {
      read.set(zone, asForecastError(source, thrown));
    }
  }
  return read;
}
