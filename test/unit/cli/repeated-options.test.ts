import { PassThrough } from "node:stream";
import type { Command, Option } from "commander";
import picocolors from "picocolors";
import { expect, it } from "vitest";
import { givenOnce } from "../../../src/cli/options/given-once.ts";
import { programOf } from "../../support/processes/run-command.ts";

const nothing = (): void => undefined;

/** Some value of each form that options take. */
const SAMPLES = [
  ...[
    "one",
    "two",
    "json",
    "yaml",
    "0.5",
    "1",
    "2",
    "20",
    "30",
    "2024",
    "2025",
    "1h",
    "2h",
    "1.33.1",
    "1.34.0",
    "1,2",
    "2,3",
  ],
  ...[
    "10.0.0.0/8",
    "10.1.0.0/16",
    "s3://one",
    "s3://two",
    "arm64",
    "amd64",
    "https://one.example",
    "https://two.example",
  ],
];

/** Two values that the option takes. */
function twoValues({ argChoices = SAMPLES, parseArg, flags }: Option): [string, string] {
  const [first, second] = argChoices.filter((sample) => {
    try {
      parseArg?.(sample, undefined);
      return true;
    } catch {
      return false;
    }
  });
  if (first === undefined || second === undefined) throw new Error(`add two samples for ${flags}`);
  return [first, second];
}

/** Reads the option with each of these values, as from a command line, and runs no command. */
function give(command: Command, { long, short }: Option, values: readonly string[]): void {
  command.parseOptions(values.flatMap((value) => [long ?? short ?? "", value]));
}

const saysRepeats = ({ variadic, description }: Option): boolean => variadic || /\brepeat/.test(description);

const allOf = (command: Command): Command[] => [command, ...command.commands.flatMap(allOf)];
const pathOf = (command: Command): string => `${command.parent ? `${pathOf(command.parent)} ` : ""}${command.name()}`;

const program = await programOf({
  ...{ root: ".", stdin: new PassThrough(), write: nothing, note: nothing, rewrite: nothing, watched: false },
  ...{ colors: picocolors.createColors(false), env: {}, exit: nothing },
});
program.configureOutput({ outputError: nothing });
givenOnce(program);

const options = allOf(program).flatMap((command) =>
  command.options
    .filter((option) => !option.isBoolean())
    .map((option) => ({ name: `${pathOf(command)} ${option.flags}`, command, option })),
);

it.each(options.filter(({ option }) => saysRepeats(option)))(
  "$name keeps both of two values, as its help says",
  ({ command, option }) => {
    const values = twoValues(option);
    give(command, option, values);
    expect(command.getOptionValue(option.attributeName())).toEqual(values);
  },
);

it.each(options.filter(({ option }) => !saysRepeats(option)))(
  "$name is refused where it is given twice",
  ({ command, option }) => {
    expect(() => {
      give(command, option, twoValues(option));
    }).toThrow(`'${option.flags}' is given twice`);
  },
);
