import type { Command } from "commander";
import { LandfallError } from "../../errors.ts";
import type { Cli } from "../cli.ts";
import { table } from "../../model/table.ts";

interface Entry {
  /** The commands before: ` bundle build`; empty for the program itself. */
  path: string;
  command: Command;
}

function entriesOf(command: Command, path = ""): Entry[] {
  return [{ path, command }, ...command.commands.flatMap((inner) => entriesOf(inner, `${path} ${inner.name()}`))];
}

const wordsOf = ({ command }: Entry): string[] => [
  ...command.commands.map((inner) => inner.name()),
  ...command.options.flatMap(({ long, short }) => [long, short].filter((flag) => typeof flag === "string")),
];

/** Names and flags need no quotes: they hold letters and dashes. */
function bashText(entries: readonly Entry[]): string {
  const steps = entries.slice(1).map(({ path }) => `"${path}"`);
  const words = entries.map((entry) => `    "${entry.path}") words="${wordsOf(entry).join(" ")}" ;;`);
  return [
    "_landfall() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" path="" words="" word',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$path $word" in',
    `      ${steps.join("|")}) path="$path $word" ;;`,
    "    esac",
    "  done",
    '  case "$path" in',
    ...words,
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    "}",
    "complete -o default -F _landfall landfall",
    "",
  ].join("\n");
}

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, "")}'`;

/** fish tells commands apart by the words before. */
function fishText(entries: readonly Entry[]): string {
  return entries
    .flatMap(({ path, command }) => {
      const seen = path.trim().split(" ").filter(Boolean);
      const after = seen.map((name) => `__fish_seen_subcommand_from ${name}`).join("; and ");
      const inner = command.commands.map((one) => one.name());
      const open = inner.length === 0 ? "" : `not __fish_seen_subcommand_from ${inner.join(" ")}`;
      const when = [after, open].filter(Boolean).join("; and ");
      const head = `complete -c landfall -n ${quoted(when)}`;
      return [
        ...command.commands.map((one) => `${head} -a ${one.name()} -d ${quoted(one.description())}`),
        ...command.options.map(({ long, short, description }) => {
          const flags = [long && `-l ${long.slice(2)}`, short && `-s ${short.slice(1)}`].filter(Boolean).join(" ");
          return `${head} ${flags} -d ${quoted(description)}`;
        }),
      ];
    })
    .join("\n")
    .concat("\n");
}

const SHELLS: Readonly<Record<string, (entries: readonly Entry[]) => string>> = table({
  bash: bashText,
  zsh: (entries) => `#compdef landfall\nautoload -U +X bashcompinit && bashcompinit\n${bashText(entries)}`,
  fish: fishText,
});

/** `landfall completion`: a script that completes commands and options. */
export function addCompletion(program: Command, cli: Cli): void {
  program
    .command("completion")
    .description("Print a script that completes commands and options: source <(landfall completion bash)")
    .argument("<shell>", "bash, zsh or fish")
    .action((shell: string) => {
      const text = SHELLS[shell];
      if (text === undefined)
        throw new LandfallError("CLI_USAGE", { detail: `"${shell}" has no completion: write bash, zsh or fish` });
      cli.write(text(entriesOf(program)));
    });
}
