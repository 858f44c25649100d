import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Registry } from "prom-client";
import { openLogger } from "../cluster/service/open-logger.ts";
import { runService } from "../cluster/service/run-service.ts";
import { readConsoleFlags } from "../flags/console-options.ts";
import { defaultCacheFolder } from "../toolchain/cache-paths.ts";
import { builtPages } from "./pages/built-pages.ts";
import { serveCluster } from "./process/serve-cluster.ts";

const flags = readConsoleFlags(process.argv);
const log = openLogger(flags.logLevel);

function exit(code: number, when: "now" | "later"): void {
  process.exitCode = code;
  if (when === "now") process.exit();
}

await runService({ ...flags, name: "console", metrics: new Registry(), log, exit }, async () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const pages = await builtPages({ root, cacheDir: join(defaultCacheFolder(process.env), "console") });
  return serveCluster({ flags, pages, env: process.env, log });
});
