import { accessSync, constants } from "node:fs";
import { InvalidArgumentError, Option } from "commander";
import { messageOf } from "../errors.ts";
import { neutralise } from "../model/text/neutralise.ts";
import { readInteger } from "../model/wrong-value/read/read-number.ts";

/** A parser for an option's value: a whole number from `low` to `high`, or an error that names both. */
export function whole(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = Number(text || Number.NaN);
    if (Number.isInteger(value) && value >= low && value <= high) return value;
    const bare = Number(/^(\d{1,9}) ?[a-z%]{1,9}$/i.exec(text)?.[1]);
    const instead = bare >= low && bare <= high ? `: write ${String(bare)}` : "";
    const example = instead || `, e.g. ${String(Math.min(Math.max(EXAMPLE, low), high))}`;
    throw new InvalidArgumentError(`expected a whole number from ${String(low)} to ${String(high)}${example}.`);
  };
}

const EXAMPLE = 10;

/** A parser for an option's value: a number above 0, which counts in this unit. */
export const amountOf =
  (unit: "GiB" | "ms" | null) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isFinite(value) && value > 0) return value;
    const meant =
      unit === null ? undefined : readInteger({ type: "number", exclusiveMinimum: 0, "x-unit": unit }, text);
    const instead = typeof meant?.value === "number" ? `: write ${String(meant.value)}` : `, e.g. ${String(EXAMPLE)}`;
    throw new InvalidArgumentError(`expected a number above 0${unit === null ? "" : ` in ${unit}`}${instead}.`);
  };

/** Parses an option's value: a number above 0. */
export const positive = amountOf(null);

/** Parses an option's value: a share from 0 to 1. */
export function share(text: string): number {
  const value = Number(text || Number.NaN);
  if (value >= 0 && value <= 1) return value;
  const percent = Number(/^(\d{1,3}(?:\.\d{1,3})?) ?(?:%|percent)?$/i.exec(text)?.[1]);
  const instead =
    percent > 1 && percent <= 100 ? `: write ${String(percent / 100)} for ${String(percent)} percent` : "";
  throw new InvalidArgumentError(`expected a number from 0 to 1${instead || ", e.g. 0.5"}.`);
}

/** Parses an option's value: a text that is not empty. */
export function nonEmpty(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("expected a text that is not empty.");
}

/** Parses an option's value: texts that are separated by commas. */
export const list = (text: string): string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");

export const port = whole(1, 65_535);

/** Parses an option's value: the path of a file that this process can read. */
export function readableFile(path: string): string {
  try {
    accessSync(path, constants.R_OK);
    return path;
  } catch (thrown) {
    throw new InvalidArgumentError(`expected a file that can be read: ${messageOf(thrown)}.`);
  }
}

/** Parses an option's value: an https URL without a path, such as a webhook configuration continues with one. */
export function httpsUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "https:" && url.href === `${url.origin}/`) return url.origin;
  throw new InvalidArgumentError("expected an https URL without a path, for example https://10.0.0.1:8443.");
}

/** How much a process logs. */
export const logLevel = (): Option =>
  new Option("--log-level <level>", "how much is logged")
    .choices(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info");

/** For `configureOutput`: a wrong command line is reported with a code, like every other error. */
export const outputError = (text: string, print: (line: string) => void): void => {
  print(`${neutralise(text.trimEnd()).replace(/\.$/, "")}; see --help [CLI_USAGE]\n`);
};
