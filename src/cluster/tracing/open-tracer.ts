import { lineOf } from "../../errors.ts";
import { type Environment, readTracingSettings } from "./read-settings.ts";
import type { Tracer, TracerLog } from "./span.ts";

export interface TracerInput {
  env: Environment;
  /** The process, if no variable names it. */
  serviceName: string;
  log: TracerLog;
}

/** How settings are named that say where traces go. */
export const TRACES = "OTEL_EXPORTER_OTLP_ENDPOINT";

/**
 * The tracer that the environment asks for; null if it asks for none, or wrongly: traces are not worth a process that does not start.
 * OpenTelemetry's packages are loaded only then.
 */
export async function openTracer({ env, serviceName, log }: TracerInput): Promise<Tracer | null> {
  try {
    const settings = readTracingSettings(env, serviceName);
    if (settings === null) return null;
    const { sendTraces } = await import("./send-traces.ts");
    const { url, sampler } = settings;
    log.info({ url, sampler, service: settings.serviceName }, "traces are sent");
    return sendTraces(settings, log);
  } catch (thrown) {
    log.warn({ detail: lineOf(thrown) }, "no traces are sent");
    return null;
  }
}
