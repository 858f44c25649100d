import { LandfallError } from "../../errors.ts";
import { table } from "../../model/table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
const PROTOCOLS = ["http/protobuf", "http/json"] as const;

/** The address that traces are sent to, and which are kept. */
export interface TracingSettings {
  /** Of the collector's traces. */
  url: string;
  protocol: (typeof PROTOCOLS)[number];
  sampler: (typeof SAMPLERS)[number];
  /** The share that `traceidratio` keeps, 0 to 1. */
  ratio: number;
  serviceName: string;
  /** Attributes of the process. */
  resource: Record<string, string>;
  /** Spans that wait to be sent: more are dropped. */
  queue: number;
  /** Spans of one message. */
  batch: number;
  /** Ms between two messages. */
  everyMs: number;
  /** Ms that one message may take. */
  timeoutMs: number;
}

/** The address of a collector on the same machine (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). */
const LOCAL = "http://localhost:4318";

function wrong(variable: string, detail: string): never {
  throw new LandfallError("TRACING_SETTINGS", { variable, detail });
}

/** An empty variable counts as none. */
const valueOf = (env: Environment, ...names: readonly string[]): { name: string; value: string } | null => {
  for (const name of names) {
    const value = env[name]?.trim() ?? "";
    if (value !== "") return { name, value };
  }
  return null;
};

function choiceOf<Choice extends string>(
  env: Environment,
  names: readonly string[],
  choices: readonly [Choice, ...Choice[]],
  ifNone: Choice,
): Choice {
  const given = valueOf(env, ...names);
  if (given === null) return ifNone;
  const chosen = choices.find((one) => one === given.value);
  return chosen ?? wrong(given.name, `${given.value} is none of ${choices.join(", ")}`);
}

function numberOf(env: Environment, name: string, ifNone: number, [least, most]: readonly [number, number]): number {
  const given = valueOf(env, name);
  if (given === null) return ifNone;
  const number = Number(given.value);
  if (number >= least && number <= most) return number;
  return wrong(name, `${given.value} is not a number from ${String(least)} to ${String(most)}`);
}

function urlOf(env: Environment): string {
  const own = valueOf(env, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const shared = valueOf(env, "OTEL_EXPORTER_OTLP_ENDPOINT");
  const { name, value } = own ?? shared ?? { name: "", value: LOCAL };
  const url = own === null ? `${value.replace(/\/$/, "")}/v1/traces` : value;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) wrong(name, `${value} is not an http or https URL`);
  return url;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return wrong("OTEL_RESOURCE_ATTRIBUTES", `${text} is not percent-encoded`);
  }
}

/** `key=value` pairs with commas between them; values may be percent-encoded. */
function resourceOf(env: Environment): Record<string, string> {
  const pairs = (valueOf(env, "OTEL_RESOURCE_ATTRIBUTES")?.value ?? "").split(",").filter((pair) => pair !== "");
  const entries = pairs.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at < 1) wrong("OTEL_RESOURCE_ATTRIBUTES", `${pair} is not of the form key=value`);
    return [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())];
  });
  return table(Object.fromEntries(entries));
}

/** Whether anything asks for traces: an address of a collector, or the exporter by name. */
function isAsked(env: Environment): boolean {
  if (valueOf(env, "OTEL_SDK_DISABLED")?.value.toLowerCase() === "true") return false;
  const exporter = valueOf(env, "OTEL_TRACES_EXPORTER");
  if (exporter?.value === "none") return false;
  if (exporter !== null && exporter.value !== "otlp") wrong(exporter.name, `${exporter.value} is none of otlp, none`);
  const names = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
  return exporter !== null || valueOf(env, ...names) !== null;
}

/**
 * The standard variables of OpenTelemetry (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/); null if
 * none asks for traces. Credentials (`OTEL_EXPORTER_OTLP_HEADERS`), certificates and compression are read by its own exporter. Throws
 * TRACING_SETTINGS.
 */
export function readTracingSettings(env: Environment, serviceName: string): TracingSettings | null {
  if (!isAsked(env)) return null;
  const protocols = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
  const queue = numberOf(env, "OTEL_BSP_MAX_QUEUE_SIZE", 2048, [1, 65_536]);
  const resource = resourceOf(env);
  return {
    url: urlOf(env),
    protocol: choiceOf(env, protocols, PROTOCOLS, "http/protobuf"),
    sampler: choiceOf(env, ["OTEL_TRACES_SAMPLER"], SAMPLERS, "parentbased_always_on"),
    ratio: numberOf(env, "OTEL_TRACES_SAMPLER_ARG", 1, [0, 1]),
    serviceName: valueOf(env, "OTEL_SERVICE_NAME")?.value ?? resource["service.name"] ?? serviceName,
    resource,
    queue,
    batch: Math.min(queue, numberOf(env, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512, [1, 65_536])),
    everyMs: numberOf(env, "OTEL_BSP_SCHEDULE_DELAY", 5000, [1, 3_600_000]),
    timeoutMs: numberOf(env, "OTEL_BSP_EXPORT_TIMEOUT", 30_000, [1, 3_600_000]),
  };
}
