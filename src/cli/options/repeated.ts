import type { Option } from "commander";

const parsers = new WeakSet<object>();

/** The parser of a repeatable option, which keeps all values in order; `parse` reads one of them. */
export function repeatedAs<T>(parse: (value: string) => T): (value: string, before: T[] | undefined) => T[] {
  const parser = (value: string, before: T[] | undefined): T[] => [...(before ?? []), parse(value)];
  parsers.add(parser);
  return parser;
}

/** For repeatable options whose values are texts. */
export const repeated = repeatedAs((value) => value);

/** Whether an option keeps all its values. A parser's parameters do not tell: that of choices takes the value before, and drops it. */
export const isRepeatable = ({ variadic, parseArg }: Option): boolean =>
  variadic || (parseArg !== undefined && parsers.has(parseArg));
