import { type Command, Option } from "commander";
import { LandfallError } from "../../errors.ts";
import { nearest } from "../../model/text/nearest.ts";

/** The formats of a command's result: for people, for people in detail, and for scripts. */
export const FORMATS: readonly string[] = ["table", "wide", "json", "yaml"];

export interface OutputFlags {
  output: string;
}

/** Names of version 0.1.0. */
const EARLIER: ReadonlyMap<string, string> = new Map([["text", "table"]]);

function formatOf(text: string, formats: readonly string[]): string {
  const format = EARLIER.get(text) ?? text;
  if (formats.includes(format)) return format;
  const one = nearest(text, formats);
  throw new LandfallError("CLI_UNKNOWN_NAME", {
    ...{ option: "-o", actual: text, what: `a format of this command: ${formats.join(", ")}` },
    advice: one === null ? "one of these" : `-o ${one}`,
  });
}

/** Adds -o to a command; the first format is the default. Another one throws CLI_UNKNOWN_NAME before the command runs. */
export const withOutput = (command: Command, formats: readonly string[] = FORMATS): Command =>
  command.addOption(
    new Option("-o, --output <format>", formats.join(", ").replace(/, ([^,]*)$/, " or $1"))
      .default(formats[0])
      .argParser((text) => formatOf(text, formats)),
  );
