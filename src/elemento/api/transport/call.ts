import type { ElementoCode } from "./failure-class.ts";
import type { ServiceName } from "../inferred.ts";

/** One call of a service, before it is sent. */
export interface Call<T> {
  readonly service: ServiceName;
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent as the multipart field `file` instead of a body. */
  readonly file?: { readonly name: string; readonly text: string };
  /** False where a second one could make a second thing. */
  readonly repeatable: boolean;
  /** Elemento's own words could quote a secret of the request, so they stay out of errors. */
  readonly secret?: boolean;
  /** Makes the result of a good answer. Throws ELEMENTO_ANSWER. */
  readonly read: (answer: Answer) => T;
  /** Results for failures that are none for this call, e.g. null for ELEMENTO_NOT_FOUND. */
  readonly instead?: Readonly<Partial<Record<ElementoCode, T>>>;
}

export interface Answer {
  readonly operation: string;
  readonly status: number;
  readonly text: string;
}

/** Sends a call: with a session, within the account's rate, repeated where that is safe. */
export type Caller = <T>(call: Call<T>) => Promise<T>;
