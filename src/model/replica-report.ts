import { isObject, stringsOf, textOf } from "./json.ts";

/** The state of a replica, in addition to its certificate. */
export interface ReplicaState {
  /** The version of Landfall that it runs; empty in the report of one that did not say it. */
  version: string;
  /** Digest of the policy bundle by which it decides; empty if it has none. */
  bundle: string;
  /** Why it is not ready; empty if it is. */
  problem: string;
  /** `failing`: it cannot read the webhook configurations or put them back. Missing or empty before its first look. */
  registration?: string;
  /** RFC 3339: until when the client certificates of the API servers are all valid. Missing or empty if none was shown. */
  clientUntil?: string;
}

/** The report of a replica of the webhook, in a ConfigMap of Landfall's namespace. */
export interface ReplicaReport extends ReplicaState {
  /** SHA-256 of the certificate that it serves. */
  serves: string;
  /** RFC 3339: until when that is valid. */
  until: string;
  /** PEM of the CAs that the webhook configurations have to name for it. */
  authorities: string;
  /** SHA-256 of the CAs that it sees in every webhook configuration, through the API server. */
  sees: string[];
  /** How often it put a CA back that someone had taken out of a webhook configuration. */
  restores: number;
  /** How far the replacement of the CA is; empty if none is replaced. */
  rotation: string;
  /** RFC 3339: when it wrote this. */
  at: string;
}

/** A replica writes its report every 20 s. One that was not heard for so long is gone; the others forget it after five minutes. */
const GONE_MS = 120_000;

/** Whether the replica of a report still runs. */
export const isHeard = ({ at }: ReplicaReport, nowMs: number): boolean => nowMs - (Date.parse(at) || 0) < GONE_MS;

const TEXTS = [
  "version",
  "bundle",
  "serves",
  "until",
  "authorities",
  "problem",
  "registration",
  "clientUntil",
  "rotation",
  "at",
] as const;

const NOTHING: ReplicaReport = {
  ...{ version: "", bundle: "", problem: "" },
  ...{ serves: "", until: "", authorities: "", sees: [], restores: 0, rotation: "", at: "" },
};

/** Reads a report. Of a damaged one nothing is known but that there is a replica. */
export function readReport(text: unknown): ReplicaReport {
  try {
    const report: unknown = JSON.parse(textOf(text));
    if (!isObject(report)) return NOTHING;
    const texts = TEXTS.map((key) => [key, typeof report[key] === "string" ? report[key] : ""] as const);
    const sees = stringsOf(report["sees"]);
    const restores = Number(report["restores"]) || 0;
    return { ...NOTHING, ...Object.fromEntries(texts), sees, restores };
  } catch {
    return NOTHING;
  }
}
