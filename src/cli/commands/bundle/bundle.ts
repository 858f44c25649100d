import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { addBuild } from "./build.ts";
import { addDiff } from "./diff.ts";
import { addInspect } from "./inspect.ts";
import { addPull } from "./pull.ts";
import { addPush } from "./push.ts";
import { addRollback } from "./rollback.ts";
import { addSign } from "./sign.ts";
import { addVerify } from "./verify.ts";

/** `landfall bundle`: policy bundles as files and as OCI images. */
export function addBundle(program: Command, cli: Cli): void {
  const bundle = program.command("bundle").description("Build, push, pull, verify and compare policy bundles.");
  for (const add of [addBuild, addPush, addPull, addSign, addRollback, addVerify, addInspect, addDiff])
    add(bundle, cli);
}
