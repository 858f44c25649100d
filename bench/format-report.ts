import Table from "cli-table3";
import type { AdmissionResult, BenchReport } from "./types.ts";

const find = (report: BenchReport, server: string, connections: number): AdmissionResult | undefined =>
  report.admission.find((result) => result.server === server && result.connections === connections);

function ratio(report: BenchReport, result: AdmissionResult): string {
  const opa = find(report, "opa", result.connections);
  return opa ? `${(result.requestsPerSecond / opa.requestsPerSecond).toFixed(1)} x` : "";
}

/** The report as tables for people. */
export function formatReport(report: BenchReport): string {
  const lines: string[] = [];
  if (report.admission.length > 0) {
    const table = new Table({
      head: ["server", "connections", "req/s", "p50 ms", "p99 ms", "to opa"],
      style: { head: [], border: [] },
    });
    for (const result of report.admission) {
      const { server, connections, requestsPerSecond, p50Ms, p99Ms } = result;
      table.push([server, connections, requestsPerSecond, p50Ms.toFixed(2), p99Ms.toFixed(2), ratio(report, result)]);
    }
    lines.push("admission over TLS, load generator on the same machine", table.toString());
  }
  for (const { stage, regions, p50Ms, p99Ms } of report.decision)
    lines.push(`${stage} over ${regions} regions: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`);
  if (report.composition) {
    const { objects, seconds } = report.composition;
    lines.push(`composition: ${objects} objects applied at once, all releases deployed after ${seconds} s`);
  }
  for (const { by, seconds, requests, milliseconds, helmMb, controllerMb } of report.helm) {
    const parts = Object.entries(milliseconds).map(([part, ms]) => `${part} ${ms} ms`);
    const sum = Object.values(milliseconds).reduce((all, ms) => all + ms, 0);
    lines.push(
      `helm by ${by}: all releases deployed after ${seconds} s, ${requests} API requests and ${sum.toFixed(0)} ms of processor time per object`,
      `  ${parts.join(", ")}; at most ${helmMb} MiB for helm and ${controllerMb} MiB for the controller`,
    );
  }
  lines.push(`webhook: at most ${report.webhookRssMb} MiB resident`);
  return lines.join("\n");
}
