import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A span as a collector receives it. */
export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  /** Empty for a root. */
  parentSpanId: string;
  name: string;
  kind: number;
  /** Ms since 1970. */
  beganMs: number;
  endedMs: number;
  attributes: Record<string, unknown>;
  /** 2 is an error. */
  status: number;
}

export interface Collector {
  url: string;
  spans: ReceivedSpan[];
  /** Path and type of every message so far. */
  messages: { path: string; type: string; authorization: string | undefined }[];
  /** Answers nothing from now on. */
  hang(): void;
  close(): Promise<void>;
}

interface Value {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: number | string;
  doubleValue?: number;
}
interface Entry {
  key: string;
  value: Value;
}
interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Entry[];
  status?: { code?: number };
}
/** ExportTraceServiceRequest of OTLP in JSON. */
interface Message {
  resourceSpans: { resource: { attributes: Entry[] }; scopeSpans: { spans: WireSpan[] }[] }[];
}

/** The fields of a message in Protobuf's wire format, by number. Groups do not occur. */
function fieldsOf(bytes: Buffer): Map<number, (bigint | Buffer)[]> {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => bytes.subarray(at, (at += length));
  const read: Record<number, () => bigint | Buffer> = {
    0: varint,
    1: () => take(8).readBigUInt64LE(),
    2: () => take(Number(varint())),
    5: () => BigInt(take(4).readUInt32LE()),
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const value = read[tag & 7]?.();
    if (value === undefined) throw new Error(`wire type ${String(tag & 7)}`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const bytesIn = (fields: Map<number, (bigint | Buffer)[]>, number: number): Buffer[] =>
  (fields.get(number) ?? []).filter((value) => typeof value !== "bigint");
const textIn = (fields: Map<number, (bigint | Buffer)[]>, number: number, form: BufferEncoding = "utf8"): string =>
  bytesIn(fields, number)[0]?.toString(form) ?? "";
const numberIn = (fields: Map<number, (bigint | Buffer)[]>, number: number): bigint => {
  const [value = 0n] = fields.get(number) ?? [];
  return typeof value === "bigint" ? value : 0n;
};

function valueFrom(bytes: Buffer): Value {
  const fields = fieldsOf(bytes);
  if (fields.has(1)) return { stringValue: textIn(fields, 1) };
  if (fields.has(2)) return { boolValue: numberIn(fields, 2) === 1n };
  if (fields.has(3)) return { intValue: Number(numberIn(fields, 3)) };
  const double = Buffer.alloc(8);
  double.writeBigUInt64LE(numberIn(fields, 4));
  return { doubleValue: double.readDoubleLE() };
}

const entriesFrom = (all: Buffer[]): Entry[] =>
  all.map(fieldsOf).map((entry) => ({
    key: textIn(entry, 1),
    value: valueFrom(bytesIn(entry, 2)[0] ?? Buffer.alloc(0)),
  }));

const spanFrom = (bytes: Buffer): WireSpan => {
  const span = fieldsOf(bytes);
  const status = fieldsOf(bytesIn(span, 15)[0] ?? Buffer.alloc(0));
  return {
    ...{ traceId: textIn(span, 1, "hex"), spanId: textIn(span, 2, "hex"), parentSpanId: textIn(span, 4, "hex") },
    ...{ name: textIn(span, 5), kind: Number(numberIn(span, 6)) },
    ...{ startTimeUnixNano: String(numberIn(span, 7)), endTimeUnixNano: String(numberIn(span, 8)) },
    ...{ attributes: entriesFrom(bytesIn(span, 9)), status: { code: Number(numberIn(status, 3)) } },
  };
};

/** By opentelemetry/proto/trace/v1/trace.proto (https://github.com/open-telemetry/opentelemetry-proto). */
const messageFrom = (bytes: Buffer): Message => ({
  resourceSpans: bytesIn(fieldsOf(bytes), 1)
    .map(fieldsOf)
    .map((one) => ({
      resource: { attributes: entriesFrom(bytesIn(one, 1).flatMap((resource) => bytesIn(fieldsOf(resource), 1))) },
      scopeSpans: bytesIn(one, 2).map((scope) => ({ spans: bytesIn(fieldsOf(scope), 2).map(spanFrom) })),
    })),
});

const plain = (entries: Entry[]): Record<string, unknown> =>
  Object.fromEntries(entries.map(({ key, value }) => [key, Object.values(value)[0]]));

const received = (service: string, span: WireSpan): ReceivedSpan => ({
  ...{ service, traceId: span.traceId, spanId: span.spanId, parentSpanId: span.parentSpanId ?? "" },
  ...{ name: span.name, kind: span.kind, attributes: plain(span.attributes), status: span.status?.code ?? 0 },
  beganMs: Number(span.startTimeUnixNano) / 1e6,
  endedMs: Number(span.endTimeUnixNano) / 1e6,
});

const spansOf = ({ resourceSpans }: Message): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(plain(resource.attributes)["service.name"]);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => received(service, span)));
  });

/** A receiver of OTLP over HTTP on a free port, of both forms. */
export async function startCollector(): Promise<Collector> {
  let hangs = false;
  const [spans, messages]: [ReceivedSpan[], Collector["messages"]] = [[], []];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { "content-type": type = "", authorization } = request.headers;
      messages.push({ path: request.url ?? "", type, authorization });
      if (hangs) return;
      spans.push(
        ...spansOf(type === "application/json" ? (JSON.parse(body.toString()) as Message) : messageFrom(body)),
      );
      response.writeHead(200, { "content-type": type }).end(type === "application/json" ? "{}" : "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    ...{ spans, messages },
    hang: () => void (hangs = true),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
