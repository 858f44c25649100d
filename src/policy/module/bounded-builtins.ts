import { createRequire } from "node:module";

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

/** The runtime's builtins by name, for one module: none writes more than its arguments account for. */
export const boundedBuiltins = (): ReadonlyMap<string, Builtin> =>
  new Map([...Object.entries(builtins), ["sprintf", boundedSprintf()]]);
