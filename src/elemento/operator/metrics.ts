import type { CallEvent } from "../api/client-options.ts";

export interface Metrics {
  called: (event: CallEvent) => void;
  stepped(kind: string, step: string): void;
  removedDuplicates(kind: string, count: number): void;
  /** How an object is: `Ready`, or the severity of its condition; null where it is gone. */
  isAt(key: string, kind: string, state: string | null): void;
  /** Everything in Prometheus' text format. */
  text(): string;
}

type Labels = Readonly<Record<string, string>>;

const seriesOf = (name: string, labels: Labels): string =>
  `${name}{${Object.entries(labels)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(",")}}`;

const HELP: Readonly<Record<string, [type: string, help: string]>> = {
  landfall_elemento_calls_total: ["counter", "HTTP requests to Elemento, by service, operation and outcome."],
  landfall_elemento_call_seconds_total: ["counter", "Time that requests to Elemento took, by operation."],
  landfall_elemento_steps_total: ["counter", "Steps of reconciles, by kind."],
  landfall_elemento_duplicates_removed_total: ["counter", "Things that were made twice and removed, by kind."],
  landfall_elemento_objects: [
    "gauge",
    "Objects by kind and by how they are: Ready, or the severity of what they are not for.",
  ],
};

/** Counts what the operator does. */
export function countMetrics(): Metrics {
  const counters = new Map<string, Map<string, number>>();
  const states = new Map<string, { kind: string; state: string }>();

  function add(name: string, labels: Labels, amount: number): void {
    const series = counters.get(name) ?? new Map<string, number>();
    counters.set(name, series);
    const key = seriesOf(name, labels);
    series.set(key, (series.get(key) ?? 0) + amount);
  }

  function gauge(): Map<string, number> {
    const series = new Map<string, number>();
    for (const labels of states.values()) {
      const key = seriesOf("landfall_elemento_objects", labels);
      series.set(key, (series.get(key) ?? 0) + 1);
    }
    return series;
  }

  return {
    called({ service, operation, outcome, seconds }) {
      add("landfall_elemento_calls_total", { service, operation, outcome }, 1);
      add("landfall_elemento_call_seconds_total", { operation }, seconds);
    },
    stepped: (kind, step) => {
      add("landfall_elemento_steps_total", { kind, step }, 1);
    },
    removedDuplicates: (kind, count) => {
      add("landfall_elemento_duplicates_removed_total", { kind }, count);
    },
    isAt(key, kind, state) {
      if (state === null) states.delete(key);
      else states.set(key, { kind, state });
    },
    text() {
      const all = new Map(counters).set("landfall_elemento_objects", gauge());
      const lines = Object.entries(HELP).flatMap(([name, [type, help]]) => [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...[...(all.get(name) ?? [])].map(([series, value]) => `${series} ${String(value)}`),
      ]);
      return `${lines.join("\n")}\n`;
    },
  };
}
