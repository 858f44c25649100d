import { LandfallError } from "../../errors.ts";
import type { ReportOptions } from "./serve-reports.ts";

export interface ReportFlags {
  reportPort?: number;
  reportTls?: string;
  reportUrl?: string;
}

/** Only what a shell and a YAML text take as it is. */
const URL_FORM = /^https:\/\/[\w.-]+(:\d{1,5})?$/;

/** The options of the listener of completions; null if none of its flags is given. Throws RUN_REPORT_FLAGS if one is missing. */
export function readReportOptions(flags: ReportFlags, hasKeys: boolean): ReportOptions | null {
  const { reportPort: port, reportTls: tlsDirectory, reportUrl: url } = flags;
  if (port === undefined && tlsDirectory === undefined && url === undefined) return null;
  if (port === undefined) throw new LandfallError("RUN_REPORT_FLAGS", { missing: "--report-port" });
  if (tlsDirectory === undefined) throw new LandfallError("RUN_REPORT_FLAGS", { missing: "--report-tls" });
  if (url === undefined || !URL_FORM.test(url))
    throw new LandfallError("RUN_REPORT_FLAGS", { missing: "--report-url https://host:port" });
  if (!hasKeys) throw new LandfallError("RUN_REPORT_FLAGS", { missing: "signing keys, so no --allow-undecided" });
  return { port, tlsDirectory, url };
}
