import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { LaneState } from "../../cluster/queue/lanes.ts";

export type HelmVerb = "install" | "upgrade" | "uninstall";

/** One call of helm. */
export interface HelmCalled {
  verb: HelmVerb;
  isOk: boolean;
  seconds: number;
  /** For a free slot. */
  waitedSeconds: number;
}

/** The state that the gauges show. */
export interface ObservedController {
  /** The lanes of its queue. */
  lanes: () => Record<string, LaneState>;
  /** Objects by kind and the status of their condition Ready. */
  objects: () => Iterable<{ kind: string; ready: string }>;
  /** Whether this process installs. */
  leads: () => boolean;
}

/** The result of one scan of all objects. */
export interface Scanned {
  deny: number;
  move: number;
  moveOnRecreate: number;
}

/** The result of a probe: `undecided` passed without the webhook, `failed` was not answered. */
const PROBE_RESULTS = ["decided", "denied", "undecided", "failed"] as const;
export type ProbeResult = (typeof PROBE_RESULTS)[number];

/** The measurements of compositions. No label holds a name that users choose. */
export interface CompositionMetrics {
  helm(call: HelmCalled): void;
  /** A reconcile ended in this lane. */
  reconciled(lane: string, isOk: boolean, seconds: number): void;
  /** A start was resumed this many seconds after its time. */
  started(lateSeconds: number): void;
  /** The API server was asked whether it would admit an object. */
  probed(result: ProbeResult, seconds: number, nowSeconds: number): void;
  /** The background scan ended; null for a failure. */
  scanned(result: Scanned | null, nowSeconds: number): void;
  observe(state: ObservedController): void;
}

const HELM_SECONDS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 180];
const RECONCILE_SECONDS = [0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 180];
const PROBE_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const LATE_SECONDS = [1, 2, 5, 10, 30, 60, 300, 1800, 7200];

const resultOf = (isOk: boolean): string => (isOk ? "ok" : "failed");

function addGauges(registers: Registry[], known: () => ObservedController): void {
  const lanes = (value: (state: LaneState) => number) =>
    function collect(this: Gauge): void {
      this.reset();
      for (const [lane, state] of Object.entries(known().lanes())) this.set({ lane }, value(state));
    };
  const labelNames = ["lane"];
  new Gauge({
    ...{ name: "landfall_queue_waiting", help: "Objects that wait for a free worker, by lane.", labelNames, registers },
    collect: lanes(({ waiting }) => waiting),
  });
  new Gauge({
    ...{ name: "landfall_queue_underway", help: "Objects that are being reconciled, by lane.", labelNames, registers },
    collect: lanes(({ underway }) => underway),
  });
  new Gauge({
    ...{ name: "landfall_queue_longest_wait_seconds", labelNames, registers },
    help: "How long the first object in a lane has waited for a free worker.",
    collect: lanes(({ longestMs }) => longestMs / 1000),
  });
  new Gauge({
    ...{ name: "landfall_objects", labelNames: ["kind", "ready"], registers },
    help: "Objects by kind and the status of their condition Ready: True, False or Unknown (also without it).",
    collect() {
      this.reset();
      for (const { kind, ready } of known().objects()) this.inc({ kind, ready });
    },
  });
  new Gauge({
    ...{ name: "landfall_controller_leads", help: "1 if this controller installs, otherwise 0.", registers },
    collect() {
      this.set(Number(known().leads()));
    },
  });
}

function countScans(registers: Registry[]): CompositionMetrics["scanned"] {
  const scans = new Counter({
    ...{ name: "landfall_scans_total", labelNames: ["result"], registers },
    help: "Background scans of all objects by the present bundles.",
  });
  const at = new Gauge({
    ...{ name: "landfall_scan_timestamp_seconds", help: "When the last scan ended that succeeded.", registers },
  });
  const findings = new Gauge({
    ...{ name: "landfall_scan_findings", labelNames: ["verdict"], registers },
    help: "Objects that the last scan would deny, move, or move if they were created again.",
  });
  return (result, nowSeconds) => {
    scans.inc({ result: resultOf(result !== null) });
    if (result === null) return;
    at.set(nowSeconds);
    findings.set({ verdict: "deny" }, result.deny);
    findings.set({ verdict: "move" }, result.move);
    findings.set({ verdict: "move-on-recreate" }, result.moveOnRecreate);
  };
}

function countProbes(registers: Registry[]): CompositionMetrics["probed"] {
  const durations = new Histogram({
    ...{ name: "landfall_admission_probe_seconds", labelNames: ["result"], buckets: PROBE_SECONDS, registers },
    help: "How long the API server took to admit an object in a dry run, by result: decided, denied, undecided (without the webhook) or failed.",
  });
  const at = new Gauge({
    ...{ name: "landfall_admission_probe_timestamp_seconds", registers },
    help: "When the webhook last answered a probe.",
  });
  for (const result of PROBE_RESULTS) durations.zero({ result });
  return (result, seconds, nowSeconds) => {
    durations.observe({ result }, seconds);
    if (result === "decided" || result === "denied") at.set(nowSeconds);
  };
}

/** Adds the metrics of compositions to a registry. */
export function countCompositions(registry: Registry): CompositionMetrics {
  const registers = [registry];
  let known: ObservedController = { lanes: () => ({}), objects: () => [], leads: () => false };
  const helm = new Histogram({
    ...{ name: "landfall_helm_duration_seconds", labelNames: ["verb", "result"], buckets: HELM_SECONDS, registers },
    help: "How long calls of helm took, without the time that they waited for a slot.",
  });
  const slots = new Histogram({
    ...{ name: "landfall_helm_wait_seconds", labelNames: ["verb"], buckets: HELM_SECONDS, registers },
    help: "How long calls of helm waited for a slot.",
  });
  const reconciles = new Histogram({
    ...{ name: "landfall_reconcile_duration_seconds", labelNames: ["lane", "result"], registers },
    ...{ help: "How long reconciles of an object took, by lane.", buckets: RECONCILE_SECONDS },
  });
  const starts = new Histogram({
    ...{ name: "landfall_start_delay_seconds", buckets: LATE_SECONDS, registers },
    help: "How long after their planned time objects started.",
  });
  addGauges(registers, () => known);
  return {
    helm({ verb, isOk, seconds, waitedSeconds }) {
      helm.observe({ verb, result: resultOf(isOk) }, seconds);
      slots.observe({ verb }, waitedSeconds);
    },
    reconciled: (lane, isOk, seconds) => {
      reconciles.observe({ lane, result: resultOf(isOk) }, seconds);
    },
    started: (lateSeconds) => {
      starts.observe(Math.max(0, lateSeconds));
    },
    probed: countProbes(registers),
    scanned: countScans(registers),
    observe: (state) => {
      known = state;
    },
  };
}
