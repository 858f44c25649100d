import { parse } from "csv-parse/sync";
import { LandfallError, messageOf } from "../errors.ts";
import { HOUR_SECONDS, parseTime } from "../model/time.ts";
import type { Job } from "./job.ts";
import { type Column, COLUMNS, TEXT_MARK } from "./write-workload.ts";

/** Columns whose fields may be empty. */
const OPTIONAL = new Set<Column>(["maxLatency", "dataResidency"]);

interface Line {
  row: Record<Column, string>;
  number: number;
}

function wrong({ row, number }: Line, column: Column, wanted: string): LandfallError {
  return new LandfallError("SIM_VALUE", { line: number, column, actual: JSON.stringify(row[column]), wanted });
}

function positive(line: Line, column: Column, wholeNumber = false): number {
  const value = Number(line.row[column].trim() || Number.NaN);
  const fits = Number.isFinite(value) && value > 0 && (!wholeNumber || Number.isInteger(value));
  if (!fits) throw wrong(line, column, wholeNumber ? "a whole number above 0" : "a number above 0");
  return value;
}

function time(line: Line, column: Column): number {
  const value = parseTime(line.row[column].trim());
  if (value === null) throw wrong(line, column, "an RFC 3339 time, as 2022-03-01T08:00:00Z");
  return value;
}

/** Without the mark that `writeWorkload` puts before what a spreadsheet would run. */
const unmarked = (text: string): string => (text.startsWith(TEXT_MARK) ? text.slice(TEXT_MARK.length) : text);

function readJob(line: Line, origins: ReadonlySet<string>): Job {
  const { row, number } = line;
  const durationSeconds = Math.round(positive(line, "durationHours") * HOUR_SECONDS);
  const [arrival, deadline] = [time(line, "arrival"), time(line, "deadline")];
  const origin = unmarked(row.origin.trim());
  if (!origins.has(origin)) throw new LandfallError("SIM_ORIGIN", { line: number, origin: origin || "(empty)" });
  if (durationSeconds < 1) throw wrong(line, "durationHours", "at least a second");
  if (deadline < arrival + durationSeconds) {
    throw new LandfallError("SIM_DEADLINE", { line: number, deadline: row.deadline.trim(), id: row.id.trim() });
  }
  return {
    id: unmarked(row.id.trim()),
    arrival,
    cpu: positive(line, "cpu", true),
    memory: positive(line, "memory", true),
    durationSeconds,
    deadline,
    maxLatencyMs: row.maxLatency.trim() === "" ? null : positive(line, "maxLatency"),
    origin,
    dataResidency: unmarked(row.dataResidency)
      .split(/[\s,;|]+/)
      .filter((area) => area !== ""),
  };
}

function readRows(text: string, file: string): string[][] {
  try {
    return parse(text, { bom: true, skip_empty_lines: true, relax_column_count: true });
  } catch (thrown) {
    throw new LandfallError("SIM_FILE", { file, detail: messageOf(thrown) }, thrown);
  }
}

/**
 * The jobs of a workload file, sorted by arrival. `origins` are the allowed origins. Throws SIM_FILE, SIM_COLUMN,
 * SIM_VALUE, SIM_ORIGIN, SIM_DEADLINE, SIM_EMPTY for the first line that is invalid.
 */
export function readWorkload(text: string, file: string, origins: ReadonlySet<string>): Job[] {
  const [head = [], ...rows] = readRows(text, file);
  // Matches column names regardless of case, so that a limit in `maxlatency` is not lost.
  const spelled = new Map(COLUMNS.map((column) => [column.toLowerCase(), column]));
  const names = head.map((name) => spelled.get(name.trim().toLowerCase()) ?? name.trim());
  const missing = COLUMNS.filter((column) => !names.includes(column) && !OPTIONAL.has(column));
  if (missing.length > 0) throw new LandfallError("SIM_COLUMN", { file, missing: missing.join(", ") });
  if (rows.length === 0) throw new LandfallError("SIM_EMPTY", { file });
  const seen = new Set<string>();
  const jobs = rows.map((cells, index) => {
    const fields = COLUMNS.map((column) => [column, cells[names.indexOf(column)] ?? ""]);
    const line = { row: Object.fromEntries(fields) as Record<Column, string>, number: index + 2 };
    const job = readJob(line, origins);
    if (job.id === "" || seen.has(job.id)) throw wrong(line, "id", "a text that no other line has");
    seen.add(job.id);
    return job;
  });
  return jobs.sort((a, b) => a.arrival - b.arrival);
}
