import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { addBuild } from "./bundle/build.ts";
import { addDiff } from "./bundle/diff.ts";
import { addInspect } from "./bundle/inspect.ts";
import { addPull } from "./bundle/pull.ts";
import { addPush } from "./bundle/push.ts";
import { addSign } from "./bundle/sign.ts";
import { addVerify } from "./bundle/verify.ts";

/** `landfall bundle`: policy bundles as files and as OCI images. */
export function addBundle(program: Command, cli: Cli): void {
  const bundle = program.command("bundle").description("Build, push, pull, verify and compare policy bundles.");
  for (const add of [addBuild, addPush, addPull, addSign, addVerify, addInspect, addDiff]) add(bundle, cli);
}
