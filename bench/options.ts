import { Command, Option } from "commander";
import { outputError, whole } from "../src/flags/option-values.ts";

const PARTS = ["admission", "decision", "composition", "helm"] as const;
type Part = (typeof PARTS)[number];

export interface BenchOptions {
  /** File for the figures. */
  json?: string;
  /** Everything if omitted. */
  only?: Part;
  /** Of one measurement. */
  seconds: number;
  rounds: number;
  /** VmTemplates applied at once. */
  objects: number;
}

/** Reads the options; for invalid ones it reports the error and exits with 1. */
export function readBenchOptions(argv: readonly string[]): BenchOptions {
  return new Command()
    .name("npm run bench --")
    .configureOutput({ outputError })
    .option("--json <file>", "write the figures to a file")
    .addOption(new Option("--only <part>", "measure one part").choices(PARTS))
    .option("--seconds <number>", "length of one measurement", whole(1, 600), 4)
    .option("--rounds <number>", "rounds, of which medians are taken", whole(1, 100), 3)
    .option("--objects <number>", "objects that are applied at once", whole(1, 10_000), 100)
    .parse(argv)
    .opts<BenchOptions>();
}
