import { Counter, Gauge, Registry } from "prom-client";
import type { CallEvent } from "../api/client-options.ts";

export interface Metrics {
  called: (event: CallEvent) => void;
  stepped(kind: string, step: string): void;
  removedDuplicates(kind: string, count: number): void;
  /** Sets an object's state: `Ready`, or the severity of its condition; null if it is deleted. */
  isAt(key: string, kind: string, state: string | null): void;
  registry: Registry;
}

/** The operator's metrics, in a registry of their own. */
export function countMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const calls = new Counter({
    name: "landfall_elemento_calls_total",
    help: "HTTP requests to Elemento, by service, operation and outcome.",
    labelNames: ["service", "operation", "outcome"],
    registers,
  });
  const callSeconds = new Counter({
    name: "landfall_elemento_call_seconds_total",
    help: "Duration of requests to Elemento, by operation.",
    labelNames: ["operation"],
    registers,
  });
  const steps = new Counter({
    name: "landfall_elemento_steps_total",
    help: "Reconcile steps, by kind.",
    labelNames: ["kind", "step"],
    registers,
  });
  const duplicates = new Counter({
    name: "landfall_elemento_duplicates_removed_total",
    help: "Duplicate resources that were removed, by kind.",
    labelNames: ["kind"],
    registers,
  });
  const states = new Map<string, { kind: string; state: string }>();
  new Gauge({
    name: "landfall_elemento_objects",
    help: "Objects by kind and state: Ready, or the severity of the condition that says why not.",
    labelNames: ["kind", "state"],
    registers,
    collect() {
      this.reset();
      for (const labels of states.values()) this.inc(labels);
    },
  });
  return {
    called({ service, operation, outcome, seconds }) {
      calls.inc({ service, operation, outcome });
      callSeconds.inc({ operation }, seconds);
    },
    stepped: (kind, step) => {
      steps.inc({ kind, step });
    },
    removedDuplicates: (kind, count) => {
      duplicates.inc({ kind }, count);
    },
    isAt(key, kind, state) {
      if (state === null) states.delete(key);
      else states.set(key, { kind, state });
    },
    registry,
  };
}
