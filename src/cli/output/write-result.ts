import type { Cli } from "../cli.ts";
import { jsonText, yamlText } from "./value-text.ts";

/** Whether a format is for scripts, which read standard output as one value. */
export const isValue = (output: string): output is "json" | "yaml" => output === "json" || output === "yaml";

/** Prints a result: as one value for scripts, as `text` for people, who get more of it with `-o wide`. */
export function writeResult({ write }: Cli, output: string, value: unknown, text: (isWide: boolean) => string): void {
  if (output === "json") write(`${jsonText(value)}\n`);
  else if (output === "yaml") write(yamlText(value));
  else write(text(output === "wide"));
}
