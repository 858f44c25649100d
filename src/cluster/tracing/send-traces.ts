import {
  type Context,
  ROOT_CONTEXT,
  type Span as OpenSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as OpenTracer,
} from "@opentelemetry/api";
import { ExportResultCode, parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { lineOf, LandfallError } from "../../errors.ts";
import { table } from "../../model/table.ts";
import type { TracingSettings } from "./read-settings.ts";
import type { Span, Tracer, TracerLog } from "./span.ts";

/** A process that ends waits for its collector so long, in ms. */
const STOP_MS = 2000;
/** The log says at most so often that traces cannot be sent, in ms. */
const SAY_MS = 60_000;
/** Of one span: what is written here is short, and bounded all the same. */
const SPAN_LIMITS = { attributeCountLimit: 32, attributeValueLengthLimit: 256 };

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const roots = table<() => Sampler>({
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  });
  const byParent = "parentbased_";
  const name = sampler.startsWith(byParent) ? sampler.slice(byParent.length) : sampler;
  const root = roots[name]?.() ?? new AlwaysOnSampler();
  return sampler === name ? root : new ParentBasedSampler({ root });
}

/** An exporter whose failures are logged, at most once in a while. */
function sayingFailures(exporter: SpanExporter, url: string, log: TracerLog): SpanExporter {
  let saidAt = Number.NEGATIVE_INFINITY;
  const say = (error: Error | undefined): void => {
    if (performance.now() - saidAt < SAY_MS) return;
    saidAt = performance.now();
    const detail = error?.message ?? "the collector did not accept them";
    log.warn({ detail: lineOf(new LandfallError("TRACING_AWAY", { url, detail })) }, "traces are lost");
  };
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) say(result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/** The context of a `traceparent` header; the root if it is none. */
function contextOf(parent: string | undefined): Context {
  const known = parent === undefined ? null : parseTraceParent(parent);
  return known === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...known, isRemote: true });
}

function endSpan(open: OpenSpan, { endedMs, failed }: Span): void {
  if (failed !== null) {
    open.setAttribute("error.type", failed);
    open.setStatus({ code: SpanStatusCode.ERROR, message: failed });
  }
  open.end(endedMs);
}

/** Tells the spans of finished work, parents first. */
function tell(tracer: OpenTracer, span: Span, kind: SpanKind, context: Context): void {
  const known = Object.entries(span.attributes).filter(([, value]) => value !== undefined);
  const options = { kind, startTime: span.beganMs, attributes: Object.fromEntries(known) };
  const open = tracer.startSpan(span.name, options, context);
  if (open.isRecording())
    for (const child of span.children) tell(tracer, child, SpanKind.INTERNAL, trace.setSpan(context, open));
  endSpan(open, span);
}

/**
 * Sends traces by OTLP over HTTP. Spans wait in a queue of bounded length, from which one message at a time is sent: a collector that is
 * away or hangs costs spans, and nothing else.
 */
export function sendTraces(settings: TracingSettings, log: TracerLog): Tracer {
  const { url, protocol, queue, batch, everyMs, timeoutMs, serviceName, resource } = settings;
  const exporter = protocol === "http/json" ? new JsonExporter({ url }) : new ProtobufExporter({ url });
  const processor = new BatchSpanProcessor({
    exporter: sayingFailures(exporter, url, log),
    ...{ maxQueueSize: queue, maxExportBatchSize: batch, scheduledDelayMillis: everyMs },
    exportTimeoutMillis: timeoutMs,
  });
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ ...resource, "service.name": serviceName })),
    sampler: samplerOf(settings),
    spanLimits: SPAN_LIMITS,
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer("landfall");
  return {
    url,
    record: (span, { serves, parent }) => {
      tell(tracer, span, serves ? SpanKind.SERVER : SpanKind.INTERNAL, contextOf(parent));
    },
    stop: async () => {
      const late = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => late.resolve(undefined), STOP_MS);
      await Promise.race([provider.shutdown().catch(() => undefined), late.promise]);
      clearTimeout(timer);
    },
  };
}
