import { LandfallError } from "../../errors.ts";

export interface FailedCall {
  action: string;
  release: string;
  chart: string;
  stderr: string;
}

/** Helm's messages if the chart or its values are at fault: the same input fails again. */
const RENDER = [
  /execution error at/,
  /values don't meet the specifications/,
  /template: /,
  /parse error/i,
  /YAML parse error/,
  /unable to build kubernetes objects/,
  /error validating data/,
  /error unmarshaling JSON/,
  /nil pointer evaluating/,
];
/** Looks like an error of the chart, but is caused by the network or a CRD that comes later. */
const PASSING = [
  /connection refused/,
  /no such host/,
  /i\/o timeout/,
  /no matches for kind/,
  /EOF$/,
  /context deadline/,
];

/** Helm's message without prefixes, warnings and line breaks. */
export function readableHelm(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line && !/^(WARNING|level=WARN|time=\S+ level=(WARN|INFO|DEBUG))/.test(line));
  return lines
    .join(" ")
    .replace(/^Error: /, "")
    .replace(/^(INSTALLATION|UPGRADE|UNINSTALL\w*) FAILED:? /, "")
    .replace(/execution error at \(\S{1,256}?\/(templates\/[^:)]{1,256}):(\d{1,9}):\d{1,9}\):/g, "$1:$2:")
    .replace(
      /values don't meet the specifications of the schema\(s\) in the following chart\(s\): \S{1,256}: /,
      "values: ",
    )
    .slice(0, 1000);
}

/** REL_RENDER if chart or values are at fault, REL_HELM for everything else. */
export function explainFailure(call: FailedCall): LandfallError {
  const detail = readableHelm(call.stderr) || "helm printed no error";
  const render = RENDER.some((pattern) => pattern.test(call.stderr)) && !PASSING.some((p) => p.test(call.stderr));
  if (render) return new LandfallError("REL_RENDER", { chart: call.chart, detail });
  return new LandfallError("REL_HELM", { action: call.action, release: call.release, detail });
}
