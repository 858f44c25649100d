import { field, readCsv } from "./read-csv.ts";

/** `from to` (place keys) -> round trip in ms. */
export interface Measured {
  typical: Map<string, number>;
  /** Where only the 95th percentile is published: higher than what is typical, therefore kept apart. */
  p95: Map<string, number>;
}

const tenths = (text: string): number => Math.round(Number(text) * 10) / 10;

async function within(path: string, provider: string, column: string): Promise<[string, number][]> {
  return (await readCsv(path)).map((row) => {
    return [`${provider}/${field(row, "from")} ${provider}/${field(row, "to")}`, tenths(field(row, column))];
  });
}

/** Ten pings each way in April 2022: the smaller of both directions, because some were taken during congestion. */
async function across(path: string): Promise<Map<string, number>> {
  const rtt = new Map<string, number>();
  const smaller = (pair: string, ms: number): unknown => rtt.set(pair, Math.min(ms, rtt.get(pair) ?? Infinity));
  for (const row of await readCsv(path)) {
    const from = `${field(row, "from_provider")}/${field(row, "from")}`;
    const to = `${field(row, "to_provider")}/${field(row, "to")}`;
    smaller(`${from} ${to}`, tenths(field(row, "rtt_ms")));
    smaller(`${to} ${from}`, tenths(field(row, "rtt_ms")));
  }
  return rtt;
}

/** What was measured between regions of one provider and between regions of two. */
export async function measuredLatencies(data: string): Promise<Measured> {
  return {
    typical: new Map([
      ...(await across(`${data}/latency_cross_provider.csv`)),
      ...(await within(`${data}/latency_azure.csv`, "azure", "rtt_ms")),
      ...(await within(`${data}/latency_aws.csv`, "aws", "rtt_ms")),
      ...(await within(`${data}/latency_gcp.csv`, "gcp", "rtt_ms")),
    ]),
    p95: new Map(await within(`${data}/latency_azure_p95.csv`, "azure", "rtt_p95_ms")),
  };
}
