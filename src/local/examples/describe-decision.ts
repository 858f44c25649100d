import type { CompactDecision } from "../../model/decision-annotation/compact-decision.ts";
import type { Placement } from "../../model/decision.ts";
import { formatGrams } from "../../model/intensity.ts";

function when(placement: Placement, nowMs: number): string {
  const start = placement.start.slice(0, 16).replace("T", " ");
  return Date.parse(placement.start) > nowMs ? `starts ${start} UTC` : "starts now";
}

function carbon({ gramsCO2, baselineGramsCO2, end }: Placement): string {
  if (gramsCO2 === null) return "carbon unknown";
  const per = end === null ? "an hour" : "the whole run";
  const against = baselineGramsCO2 === null ? "" : ` against ${formatGrams(baselineGramsCO2)} now at the origin`;
  return `${formatGrams(gramsCO2)}${against} for ${per}`;
}

function cost({ pricePerHour, latencyMs, latencySource }: Placement): string {
  const price = pricePerHour === null ? "price unknown" : `${pricePerHour.toFixed(3)} USD/h`;
  return latencyMs === null ? price : `${price}, ${latencyMs} ms to the origin (${latencySource ?? "unknown"})`;
}

/** A decision in three or four short lines. `now` in milliseconds since 1970. */
export function describeDecision(decision: CompactDecision, nowMs: number): string[] {
  const { placement } = decision;
  const zone = placement.zone === null ? "" : ` (${placement.zone})`;
  const place = `${placement.provider}/${placement.region}${zone}`;
  const funnel = decision.why.filter((text) => text !== "").join(" · ");
  const others = decision.alternatives.map((one) => one.place).join(", ");
  return [
    `placed  ${place}, ${placement.instanceType}, ${when(placement, nowMs)}`,
    `why     ${decision.eligible} of ${decision.considered} places fit${funnel ? `: ${funnel}` : ""}`,
    `        ${carbon(placement)}, ${cost(placement)}${others ? `; next best ${others}` : ""}`,
    ...(decision.degraded.length > 0 ? [`        degraded: ${decision.degraded.join(", ")}`] : []),
  ];
}
