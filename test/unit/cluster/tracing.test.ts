import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { during, traced } from "../../../src/cluster/tracing/during.ts";
import { openTracer } from "../../../src/cluster/tracing/open-tracer.ts";
import { type Environment, readTracingSettings } from "../../../src/cluster/tracing/read-settings.ts";
import type { Span, Tracer } from "../../../src/cluster/tracing/span.ts";
import { LandfallError } from "../../../src/errors.ts";
import { type Collector, startCollector } from "../../support/services/collector.ts";

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await collector.close();
});

function logged() {
  const lines: { level: string; detail?: string; message: string }[] = [];
  const note = (level: string) => (fields: object, message: string) => void lines.push({ level, ...fields, message });
  return {
    lines,
    log: { info: note("info"), warn: note("warn") } as unknown as Parameters<typeof openTracer>[0]["log"],
  };
}

/** Of the environment that asks for traces at the collector. */
async function tracerOf(env: Environment = {}, log = logged().log): Promise<Tracer> {
  const tracer = await openTracer({ env: { [ENDPOINT]: collector.url, ...env }, serviceName: "landfall-test", log });
  if (tracer === null) throw new Error("there is no tracer");
  return tracer;
}

const span = (changes: Partial<Span> = {}): Span => ({
  ...{ name: "work", beganMs: 1_795_212_000_000, endedMs: 1_795_212_000_012.5 },
  ...{ attributes: {}, failed: null, children: [] },
  ...changes,
});

describe("the settings of traces", () => {
  it.each<[string, Environment]>([
    ["no variable", {}],
    ["an empty address", { [ENDPOINT]: "" }],
    ["an address, and the SDK disabled", { [ENDPOINT]: "http://c:4318", OTEL_SDK_DISABLED: "true" }],
    ["an address, and no exporter", { [ENDPOINT]: "http://c:4318", OTEL_TRACES_EXPORTER: "none" }],
    ["a sampler alone", { OTEL_TRACES_SAMPLER: "always_on" }],
  ])("ask for none: %s", (_name, env) => {
    expect(readTracingSettings(env, "landfall")).toBeNull();
  });

  it.each<[Environment, object]>([
    [{ [ENDPOINT]: "http://c:4318/" }, { url: "http://c:4318/v1/traces", sampler: "parentbased_always_on", ratio: 1 }],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://c/x" }, { url: "https://c/x", protocol: "http/protobuf" }],
    [{ OTEL_TRACES_EXPORTER: "otlp" }, { url: "http://localhost:4318/v1/traces", serviceName: "landfall" }],
    [{ [ENDPOINT]: "http://c", OTEL_SERVICE_NAME: "own" }, { serviceName: "own" }],
    [
      { [ENDPOINT]: "http://c", OTEL_RESOURCE_ATTRIBUTES: "service.name=a%20b,k8s.cluster.name=one" },
      { serviceName: "a b", resource: { "service.name": "a b", "k8s.cluster.name": "one" } },
    ],
    [
      { [ENDPOINT]: "http://c", OTEL_BSP_MAX_QUEUE_SIZE: "10" },
      { queue: 10, batch: 10 },
    ],
  ])("are the standard variables: %j", (env, wanted) => {
    expect(readTracingSettings(env, "landfall")).toMatchObject(wanted);
  });

  it.each<[Environment, string]>([
    [{ OTEL_TRACES_EXPORTER: "zipkin" }, "OTEL_TRACES_EXPORTER is not valid: zipkin is none of otlp, none"],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "grpc is none of http/protobuf, http/json"],
    [{ OTEL_TRACES_SAMPLER: "often" }, "OTEL_TRACES_SAMPLER is not valid: often is none of always_on"],
    [{ OTEL_TRACES_SAMPLER_ARG: "2" }, "OTEL_TRACES_SAMPLER_ARG is not valid: 2 is not a number from 0 to 1"],
    [{ OTEL_BSP_MAX_QUEUE_SIZE: "many" }, "OTEL_BSP_MAX_QUEUE_SIZE is not valid: many is not a number"],
    [{ [ENDPOINT]: "collector:4317" }, "collector:4317 is not an http or https URL"],
    [{ OTEL_RESOURCE_ATTRIBUTES: "team" }, "team is not of the form key=value"],
    [{ OTEL_RESOURCE_ATTRIBUTES: "team=%zz" }, "%zz is not percent-encoded"],
  ])("are refused, and the process goes on without traces: %j", async (env, detail) => {
    const { lines, log } = logged();
    const given = { [ENDPOINT]: collector.url, ...env };
    expect(await openTracer({ env: given, serviceName: "landfall", log })).toBeNull();
    expect(lines).toEqual([expect.objectContaining({ level: "warn", message: "no traces are sent" })]);
    expect(lines[0]?.detail).toContain(detail);
    expect(lines[0]?.detail).toContain("[TRACING_SETTINGS]");
  });
});

describe("a tracer", () => {
  it.each(["http/protobuf", "http/json"])("sends spans with their parts, times and attributes as %s", async (form) => {
    const tracer = await tracerOf({ OTEL_EXPORTER_OTLP_PROTOCOL: form });
    const part = span({ name: "part", beganMs: 1_795_212_000_002, endedMs: 1_795_212_000_004, failed: "REL_HELM" });
    const attributes = { "landfall.decision": "24a8b0", "landfall.waited_ms": 7, "landfall.kind": undefined };
    tracer.record(span({ attributes, children: [part] }), { serves: true });
    await tracer.stop();
    expect(collector.messages).toEqual([
      expect.objectContaining({
        path: "/v1/traces",
        type: form === "http/json" ? "application/json" : "application/x-protobuf",
      }),
    ]);
    const [root, child] = collector.spans.toSorted((one, other) => one.beganMs - other.beganMs);
    expect(root).toMatchObject({ service: "landfall-test", name: "work", parentSpanId: "", kind: 2, status: 0 });
    expect(root?.attributes).toEqual({ "landfall.decision": "24a8b0", "landfall.waited_ms": 7 });
    expect((root?.endedMs ?? 0) - (root?.beganMs ?? 0)).toBeCloseTo(12.5, 2);
    expect(child).toMatchObject({
      traceId: root?.traceId,
      parentSpanId: root?.spanId,
      name: "part",
      kind: 1,
      status: 2,
    });
    expect(child?.attributes).toEqual({ "error.type": "REL_HELM" });
  });

  it("continues the trace of a caller, and keeps what the caller keeps", async () => {
    const tracer = await tracerOf();
    tracer.record(span({ name: "kept" }), { serves: true, parent: `${PARENT}-01` });
    tracer.record(span({ name: "not kept" }), { serves: true, parent: `${PARENT}-00` });
    tracer.record(span({ name: "no header" }), { serves: true, parent: "of nothing" });
    await tracer.stop();
    const of = (name: string) => collector.spans.find((one) => one.name === name);
    expect(collector.spans.map(({ name }) => name).sort()).toEqual(["kept", "no header"]);
    expect(of("kept")).toMatchObject({ traceId: PARENT.slice(3, 35), parentSpanId: PARENT.slice(36) });
    expect(of("no header")?.parentSpanId).toBe("");
  });

  it.each([
    [{ OTEL_TRACES_SAMPLER: "always_off" }, 0],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" }, 0],
    [{ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "1" }, 20],
  ])("samples as it is told: %j", async (env, count) => {
    const tracer = await tracerOf(env);
    for (let index = 0; index < 20; index += 1) tracer.record(span(), { serves: false });
    await tracer.stop();
    expect(collector.spans).toHaveLength(count);
  });

  it("shows the collector the credentials of the standard variable", async () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc");
    const tracer = await tracerOf();
    tracer.record(span(), { serves: false });
    await tracer.stop();
    expect(collector.messages[0]?.authorization).toBe("Bearer abc");
  });

  it("keeps a bounded number of spans that wait to be sent", async () => {
    const tracer = await tracerOf({ OTEL_BSP_MAX_QUEUE_SIZE: "50" });
    for (let index = 0; index < 5000; index += 1) tracer.record(span(), { serves: false });
    await tracer.stop();
    expect(collector.spans.length).toBeGreaterThan(0);
    expect(collector.spans.length).toBeLessThanOrEqual(100);
  });

  it("sends no second message to a collector that hangs, and ends within its deadline", async () => {
    collector.hang();
    const tracer = await tracerOf({ OTEL_BSP_MAX_QUEUE_SIZE: "50", OTEL_BSP_SCHEDULE_DELAY: "10" });
    for (let index = 0; index < 200; index += 1) {
      tracer.record(span(), { serves: false });
      if (index % 10 === 0) await sleep(5);
    }
    expect(collector.messages).toHaveLength(1);
    const beganAt = performance.now();
    await tracer.stop();
    expect(performance.now() - beganAt).toBeLessThan(4000);
  });

  it("says once that its collector is away", async () => {
    const { lines, log } = logged();
    await collector.close();
    vi.stubEnv("OTEL_EXPORTER_OTLP_TIMEOUT", "200");
    const tracer = await tracerOf({ OTEL_BSP_SCHEDULE_DELAY: "10", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "1" }, log);
    for (let index = 0; index < 3; index += 1) tracer.record(span(), { serves: false });
    await tracer.stop();
    const lost = lines.filter(({ message }) => message === "traces are lost");
    expect(lost).toHaveLength(1);
    expect(lost[0]?.detail).toContain("[TRACING_AWAY]");
  });
});

describe("work", () => {
  const recorded: Span[] = [];
  const tracer: Tracer = { url: "", record: (one) => void recorded.push(one), stop: () => Promise.resolve() };
  afterEach(() => void recorded.splice(0));
  const shape = ({ name, failed, attributes, children }: Span): object => ({
    ...{ name, failed, attributes },
    children: children.map(shape),
  });

  it("is recorded with its parts, also where others run at the same time", async () => {
    const one = (name: string) =>
      traced(
        tracer,
        name,
        () => ({ id: name }),
        async () => {
          await during("render", () => sleep(2));
          await during("helm install", async (note) => {
            await during("inner", () => sleep(1));
            note({ waited: 3 });
          });
          return name;
        },
      );
    expect(await Promise.all([one("a"), one("b")])).toEqual(["a", "b"]);
    const inner = { name: "inner", failed: null, attributes: {}, children: [] };
    const children = [
      { name: "render", failed: null, attributes: {}, children: [] },
      { name: "helm install", failed: null, attributes: { waited: 3 }, children: [inner] },
    ];
    expect(recorded.map(shape)).toEqual(
      ["a", "b"].map((name) => ({ name, failed: null, attributes: { id: name }, children })),
    );
    const [{ beganMs, endedMs, children: parts } = span()] = recorded;
    expect(Math.abs(endedMs - Date.now())).toBeLessThan(10_000);
    for (const part of parts) {
      expect(part.beganMs).toBeGreaterThanOrEqual(beganMs);
      expect(part.endedMs).toBeLessThanOrEqual(endedMs);
    }
  });

  it("that fails has the code of its error and not its text", async () => {
    const secret = new LandfallError("REL_HELM", { action: "install", release: "r", detail: "password hunter2" });
    const failing = traced(
      tracer,
      "reconcile",
      () => ({}),
      () => during("helm install", () => Promise.reject(secret)),
    );
    await expect(failing).rejects.toBe(secret);
    expect(recorded.map(shape)).toEqual([
      {
        ...{ name: "reconcile", failed: "REL_HELM", attributes: {} },
        children: [{ name: "helm install", failed: "REL_HELM", attributes: {}, children: [] }],
      },
    ]);
    expect(JSON.stringify(recorded)).not.toContain("hunter2");
  });

  it("keeps a bounded number of parts", async () => {
    await traced(
      tracer,
      "loop",
      () => ({}),
      async () => {
        for (let index = 0; index < 1000; index += 1) await during("part", () => Promise.resolve());
      },
    );
    expect(recorded[0]?.children).toHaveLength(64);
  });

  it("is only run where nothing is traced", async () => {
    expect(
      await traced(
        null,
        "reconcile",
        () => expect.fail("no one asked"),
        () => Promise.resolve(1),
      ),
    ).toBe(1);
    expect(await during("helm install", () => Promise.resolve(2))).toBe(2);
    expect(recorded).toEqual([]);
  });
});
