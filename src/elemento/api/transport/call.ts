import type { ElementoCode } from "../failure-class.ts";
import type { ServiceName } from "../inferred.ts";

/** A call of a service. */
export interface Call<T> {
  readonly service: ServiceName;
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent as the multipart field `file` instead of a body. */
  readonly file?: { readonly name: string; readonly text: string };
  /** False if a repetition could create a second object. */
  readonly repeatable: boolean;
  /** Keeps Elemento's message out of errors, because it could quote a secret of the request. */
  readonly secret?: boolean;
  /** Converts a successful answer to the result. Throws ELEMENTO_ANSWER. */
  readonly read: (answer: Answer) => T;
  /** Results for error codes that are not failures of this call, e.g. null for ELEMENTO_NOT_FOUND. */
  readonly instead?: Readonly<Partial<Record<ElementoCode, T>>>;
}

export interface Answer {
  readonly operation: string;
  readonly status: number;
  readonly text: string;
}

/** Sends a call with a session, within the account's rate limit, and repeats it if that is safe. */
export type Caller = <T>(call: Call<T>) => Promise<T>;
