import { AsyncLocalStorage } from "node:async_hooks";
import { asLandfallError } from "../../errors.ts";
import type { Attributes, Span, Tracer } from "./span.ts";

/** More parts of one piece of work are not kept: none has so many unless it loops. */
const MOST_PARTS = 64;

/** Adds attributes that are known only after a while. */
export type Note = (attributes: Attributes) => void;

interface Underway {
  children: Span[];
  /** When this process's monotonic clock was 0, in ms since 1970: the same for all spans of one trace. */
  clock: number;
}

const underway = new AsyncLocalStorage<Underway>();

/** Runs work with a record of its parts, and passes the span of it to `onEnd`. */
async function measured<T>(
  name: string,
  { attributes, clock, onEnd }: { attributes: Attributes; clock: number; onEnd: (span: Span) => void },
  work: (note: Note) => Promise<T>,
): Promise<T> {
  const own: Underway = { children: [], clock };
  let known = attributes;
  const beganMs = clock + performance.now();
  const end = (failed: string | null): void => {
    onEnd({ name, beganMs, endedMs: clock + performance.now(), attributes: known, failed, children: own.children });
  };
  try {
    const result = await underway.run(own, () =>
      work((further) => {
        known = { ...known, ...further };
      }),
    );
    end(null);
    return result;
  } catch (thrown) {
    end(asLandfallError(thrown).code);
    throw thrown;
  }
}

const ignore: Note = () => undefined;

/** Runs work, and records its span with those of its parts; only runs it without a tracer. */
export function traced<T>(
  tracer: Tracer | null,
  name: string,
  attributes: () => Attributes,
  work: () => Promise<T>,
): Promise<T> {
  if (tracer === null) return work();
  const onEnd = (span: Span): void => {
    tracer.record(span, { serves: false });
  };
  const clock = Date.now() - performance.now();
  return measured(name, { attributes: attributes(), clock, onEnd }, work);
}

/** Runs a part of the work that is traced, as a span of its own; only runs it where nothing is traced. */
export function during<T>(name: string, work: (note: Note) => Promise<T>): Promise<T> {
  const parent = underway.getStore();
  if (parent === undefined) return work(ignore);
  const onEnd = (span: Span): void => {
    if (parent.children.length < MOST_PARTS) parent.children.push(span);
  };
  return measured(name, { attributes: {}, clock: parent.clock, onEnd }, work);
}
