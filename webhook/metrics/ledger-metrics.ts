import { Counter, Histogram, type Registry } from "prom-client";
import type { Ledger } from "../../src/external-data/ledger/open-ledger.ts";
import { addGauge } from "./collected-gauge.ts";

const SECONDS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** A ledger whose claims are measured. */
export interface MeasuredLedger extends Ledger {
  /** Adds its metrics. */
  register(registry: Registry): void;
}

function addCounts(registry: Registry, ledger: Ledger): void {
  new Counter({
    name: "landfall_ledger_writes_total",
    help: "Writes of PlacementLedgers by their result: written, conflict (another replica was first) or failed.",
    labelNames: ["result"],
    registers: [registry],
    collect() {
      const { written, conflicts, failed } = ledger.counts();
      this.reset();
      this.inc({ result: "written" }, written);
      this.inc({ result: "conflict" }, conflicts);
      this.inc({ result: "failed" }, failed);
    },
  });
  addGauge(registry, {
    name: "landfall_ledger_entries",
    help: "Admitted objects in the PlacementLedgers, as this replica knows them.",
    collect: () => [{ labels: {}, value: ledger.counts().entries }],
  });
}

/** Measures the claims of a ledger. */
export function measureLedger(ledger: Ledger): MeasuredLedger {
  const claims = new Histogram({
    name: "landfall_ledger_claim_seconds",
    help: "Time in which decisions were written for the other replicas, by result: taken, again (decided again) or refused.",
    labelNames: ["result"],
    buckets: SECONDS,
    registers: [],
  });
  return {
    ...ledger,
    async claim(claim, origin) {
      const end = claims.startTimer();
      try {
        const result = await ledger.claim(claim, origin);
        end({ result });
        return result;
      } catch (thrown) {
        end({ result: "refused" });
        throw thrown;
      }
    },
    register(registry) {
      registry.registerMetric(claims);
      addCounts(registry, ledger);
    },
  };
}
