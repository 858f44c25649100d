import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 1;

/** The longest stop of this thread since the last look, in Prometheus' text format: everybody waits that long for an answer. */
export function eventLoopMetrics(): () => string {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return () => {
    const seconds = delays.max / 1e9;
    delays.reset();
    return [
      "# HELP landfall_event_loop_delay_max_seconds The longest stop of the webhook's main thread since the last scrape.",
      "# TYPE landfall_event_loop_delay_max_seconds gauge",
      `landfall_event_loop_delay_max_seconds ${String(seconds)}`,
      "",
    ].join("\n");
  };
}
