import { Gauge, type Registry } from "prom-client";

/** One series of a gauge. */
export interface Sample {
  labels: Record<string, string>;
  value: number;
}

interface GaugeOptions {
  name: string;
  help: string;
  labels?: readonly string[];
  /** Called on each scrape; answers every series of the gauge. */
  collect: () => readonly Sample[];
}

/** Adds a gauge to `registry` that is computed on each scrape. */
export function addGauge(registry: Registry, { name, help, labels = [], collect }: GaugeOptions): void {
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      this.reset();
      for (const sample of collect()) this.set(sample.labels, sample.value);
    },
  });
}
