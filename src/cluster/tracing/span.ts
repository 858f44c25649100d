import type { FastifyBaseLogger } from "fastify";

/** Values of a span's attributes; undefined ones are omitted. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A piece of work that has ended. */
export interface Span {
  name: string;
  /** Ms since 1970, with fractions. */
  beganMs: number;
  endedMs: number;
  attributes: Attributes;
  /** The code of the error that ended it; null if it succeeded. Texts of errors may quote what users wrote. */
  failed: string | null;
  children: readonly Span[];
}

/** Tells a collector what took how long. Nothing waits for it, and nothing of it fails. */
export interface Tracer {
  /** The address that it sends them to. */
  url: string;
  /** `serves`: it answers a request. `parent` is that request's `traceparent` header, omitted for none. */
  record(span: Span, about: { serves: boolean; parent?: string | undefined }): void;
  /** Sends what is left, within a deadline. */
  stop(): Promise<void>;
}

/** The log of a process that traces. */
export type TracerLog = Pick<FastifyBaseLogger, "info" | "warn">;
