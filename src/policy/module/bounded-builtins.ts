import { createRequire } from "node:module";
import { LandfallError } from "../../errors.ts";
import { limitTime } from "./limit-time.ts";

/** A builtin that the compiler leaves to the runtime: values of JSON in and out; undefined for no value. */
export type Builtin = (...args: unknown[]) => unknown;

/** Width and precision of one placeholder of sprintf. */
const WIDTH = 1024;
/** Characters of one format. */
const FORMAT = 8192;
/**
 * Of all formats of a module: the runtime's sprintf keeps what it has read of each, for all modules of the process and outside of their memory.
 * A format and each placeholder count as PART characters more. Those of the project's own rules count as 36,000.
 */
const FORMATS = 128 * 1024;
const PART = 128;
/** Characters that one call of sprintf may write. */
const WRITTEN = 1024 * 1024;

/** Characters that a parser of YAML or a regular expression reads or writes: values of a document take up to a thousand times as much. */
const READ = 64 * 1024;
/** Characters and groups of one regular expression. Each piece of a text comes with what the groups found. */
const PATTERN = 1024;
const GROUPS = 16;
/** Of one call, in ms: a regular expression of JavaScript goes back and forth, and keys of YAML are compared with each other. */
const CALL_MS = 500;

/** As sprintf-js reads a format, which has at most 8192 characters: name, width, precision and type of each placeholder. */
const PLACEHOLDER =
  /%%|%(?:[1-9]\d{0,8191}\$|(\([^)]{1,8192}\)))?\+?(?:0|'[^$])?-?(\d{1,8192})?(?:\.(\d{1,8192}))?([b-gijostTuvxX])/g;

const require = createRequire(import.meta.url);
const entry = require.resolve("@open-policy-agent/opa-wasm");
// The package exports the runtime as a whole only.
const builtins = createRequire(entry)("./builtins/index") as Record<string, Builtin>;

/** The placeholders of a format, and the widest. Throws for one that must not be used. */
function readFormat(format: string): { placeholders: number; widest: number } {
  if (format.length > FORMAT) throw new RangeError(`a format of sprintf has more than ${String(FORMAT)} characters`);
  const all = [...format.matchAll(PLACEHOLDER)];
  // Not in OPA's sprintf. sprintf-js looks it up in prototypes as well, and calls what it finds: functions of JavaScript's own.
  if (all.some(([, name]) => name !== undefined)) throw new RangeError("a placeholder of sprintf has a name");
  const widths = all.flatMap(([, , width = "0", precision = "0"]) => [Number(width), Number(precision)]);
  const widest = Math.max(0, ...widths);
  if (widest > WIDTH) throw new RangeError(`a width of ${String(widest)} in sprintf is more than ${String(WIDTH)}`);
  if (all.some(([, , width, , type]) => type === "j" && width !== undefined))
    throw new RangeError("%j of sprintf has a width");
  return { placeholders: all.length, widest };
}

/** sprintf of one module. */
function boundedSprintf(): Builtin {
  const known = new Map<string, ReturnType<typeof readFormat>>();
  let kept = 0;

  function add(format: string): ReturnType<typeof readFormat> {
    const read = readFormat(format);
    kept += format.length + PART * (1 + read.placeholders);
    if (kept > FORMATS) throw new RangeError("sprintf was called with too many formats");
    known.set(format, read);
    return read;
  }

  return (format, values) => {
    if (typeof format !== "string") return undefined;
    const { placeholders, widest } = known.get(format) ?? add(format);
    if (placeholders > 1) {
      const written = placeholders * Math.max(widest, JSON.stringify(values).length);
      if (written > WRITTEN) throw new RangeError(`sprintf would write up to ${String(written)} characters`);
    }
    return builtins["sprintf"]?.(format, values);
  };
}

function checkSize(name: string, value: unknown): void {
  // JSON has no text for a result that is undefined.
  const { length } = typeof value === "string" ? value : JSON.stringify(value ?? null);
  if (length > READ) throw new RangeError(`a value of ${name} has more than ${String(READ)} characters`);
}

/** The groups of an expression: it finds nothing at all if it may. */
const groupsOf = (pattern: string): number => (new RegExp(`${pattern}|`).exec("")?.length ?? 1) - 1;

function checkPattern(name: string, pattern: string): void {
  if (pattern.length > PATTERN)
    throw new RangeError(`a pattern of ${name} has more than ${String(PATTERN)} characters`);
  if (groupsOf(pattern) > GROUPS) throw new RangeError(`a pattern of ${name} has more than ${String(GROUPS)} groups`);
}

/** A builtin that takes texts alone, as OPA's does, which has no value for anything else. JavaScript makes a text of a list, past the limits of its parts. */
const ofTexts =
  (builtin: Builtin): Builtin =>
  (...args) =>
    args.every((arg) => typeof arg === "string") ? builtin(...args) : undefined;

/** A builtin with limits of size and time. What it makes is written as text here, as parts of it may stand for the same value. */
function boundedCall(name: string, builtin: Builtin, check: Builtin = () => undefined): Builtin {
  let run: ReturnType<typeof limitTime> | undefined;
  return (...args) => {
    for (const arg of args) checkSize(name, arg);
    // A module that calls none of them needs no context.
    run ??= limitTime(CALL_MS);
    try {
      return run(name, () => {
        check(...args);
        const result = builtin(...args);
        checkSize(name, result);
        return result;
      });
    } catch (thrown) {
      if (!(thrown instanceof LandfallError)) throw thrown;
      throw new RangeError(`a call of ${name} took more than ${String(CALL_MS)} ms`, { cause: thrown });
    }
  };
}

/**
 * The runtime's builtins by name, for one module: none takes more memory or time than its arguments account for. They run in the heap of the process,
 * which all modules share.
 */
export function boundedBuiltins(): ReadonlyMap<string, Builtin> {
  const all = Object.entries(builtins).map(([name, builtin]): [string, Builtin] => {
    if (name === "regex.split")
      return [name, ofTexts(boundedCall(name, builtin, (pattern) => checkPattern(name, pattern as string)))];
    return [name, name.startsWith("yaml.") ? boundedCall(name, builtin) : builtin];
  });
  return new Map([...all, ["sprintf", boundedSprintf()]]);
}
