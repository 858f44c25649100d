import type { Command } from "commander";
import { isRepeatable } from "./repeated.ts";

/** Makes a command and those below it refuse an option that is given twice: only the last value would count, unsaid. */
export function givenOnce(command: Command): void {
  for (const option of command.options) {
    if (option.isBoolean() || isRepeatable(option)) continue;
    const values: string[] = [];
    command.on(`option:${option.name()}`, (value: string) => {
      values.push(value);
      const [first = ""] = values;
      if (values.length > 1 && value !== first)
        command.error(`error: option '${option.flags}' is given twice, as ${first} and ${value}: write it once`);
    });
  }
  for (const one of command.commands) givenOnce(one);
}
