import { InvalidArgumentError, Option } from "commander";

/** Reads an option's value: a whole number between these two, or an error that names them. */
export function whole(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = Number(text || Number.NaN);
    if (Number.isInteger(value) && value >= low && value <= high) return value;
    throw new InvalidArgumentError(`expected a whole number from ${String(low)} to ${String(high)}.`);
  };
}

/** Reads an option's value: a number above 0. */
export function positive(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("expected a number above 0.");
}

export const port = whole(1, 65_535);

/** How much a process logs. */
export const logLevel = (): Option =>
  new Option("--log-level <level>", "how much is logged")
    .choices(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info");

/** For `configureOutput`: what is wrong with a command line has a code, as every other error. */
export const outputError = (text: string, print: (line: string) => void): void => {
  print(`${text.trimEnd()}; see --help [CLI_USAGE]\n`);
};
