#!/usr/bin/env node
// The command line is TypeScript that Node 24 runs as it is. Where `landfall` is started by an older Node, the Node of
// this package's own devDependency takes over, so that the machine's Node does not matter.
import { spawnSync } from "node:child_process";
import module, { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * What was compiled is kept: the second call starts in half the time of the first. It lies in the user's own folder: code from a
 * folder that all users share could be anybody's.
 */
const caches = process.env.XDG_CACHE_HOME || join(process.env.HOME || homedir(), ".cache");
const cache = process.env.NODE_COMPILE_CACHE ?? join(caches, "landfall", "compiled");
const main = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
if (Number(process.versions.node.split(".")[0]) >= 24) {
  module.enableCompileCache(cache);
  await import(main);
} else {
  let node;
  try {
    node = createRequire(import.meta.url).resolve("node/bin/node");
  } catch {
    process.stderr.write(
      `landfall needs Node 24 or newer; this is ${process.version}. Run npm ci in the project's folder.\n`,
    );
    process.exit(2);
  }
  const { status, signal } = spawnSync(node, [main, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  });
  if (signal) process.kill(process.pid, signal);
  process.exitCode = status ?? 1;
}
