import { isObject, stringOf } from "../json.ts";
import { formatTime, parseTime } from "../time.ts";

/** A bundle that decides. */
export interface ActiveBundle {
  /** Empty for the platform's own; otherwise the name of the data image or of the team's bundle. */
  bundle: string;
  /** The digest that it was fetched by: of the image's manifest, or of the file. */
  digest: string;
  /** The digest of its content, which decisions and audits name; empty if it is not known. */
  content: string;
  revision: string;
  signers: string[];
  /** RFC 3339 */
  at: string;
}

/** A bundle that is not used, and why. */
export interface UnusedBundle {
  digest: string;
  code: string;
  reason: string;
  /** RFC 3339 */
  at: string;
}

/** The words of the webhook on its bundles, in a ConfigMap of Landfall's own namespace. Events say the same, and end after an hour. */
export interface BundleReport {
  /** The reference that is followed. */
  follows: string;
  active: ActiveBundle[];
  quarantined: UnusedBundle[];
}

/** The key of the report in its ConfigMap. */
export const REPORT_KEY = "report";
/** Most entries of a list that are read. */
const MOST = 200;

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(stringOf).filter((one) => one !== "") : [];
const entries = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject).slice(0, MOST) : [];

/** A time as text; empty for anything else. */
function time(value: unknown): string {
  const seconds = parseTime(stringOf(value));
  return seconds === null ? "" : formatTime(seconds);
}

/** Reads a report. Null if there is none, or a damaged one: who may write the ConfigMap may write anything there. */
export function readBundleReport(written: unknown): BundleReport | null {
  let report: unknown;
  try {
    report = JSON.parse(stringOf(written));
  } catch {
    return null;
  }
  if (!isObject(report)) return null;
  return {
    follows: stringOf(report["follows"]),
    active: entries(report["active"]).map((one) => ({
      ...{ bundle: stringOf(one["bundle"]), digest: stringOf(one["digest"]), content: stringOf(one["content"]) },
      ...{ revision: stringOf(one["revision"]), signers: texts(one["signers"]), at: time(one["at"]) },
    })),
    quarantined: entries(report["quarantined"]).map((one) => ({
      ...{
        digest: stringOf(one["digest"]),
        code: stringOf(one["code"]),
        reason: stringOf(one["reason"]),
        at: time(one["at"]),
      },
    })),
  };
}
