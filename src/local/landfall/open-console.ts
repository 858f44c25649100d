import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadKubeconfig } from "../../cluster/client/load-kubeconfig.ts";
import { regoSources } from "../../console/explanation/rego-sources.ts";
import { builtPages } from "../../console/pages/built-pages.ts";
import { type RunningConsole, startConsole } from "../../console/start-console.ts";
import { lineOf } from "../../errors.ts";
import { inside } from "../../model/schemas/setting-problem.ts";
import { readBundle } from "../../policy/read-bundle.ts";
import { loadBundle } from "../../policy/load-bundle.ts";
import { defaultCacheFolder } from "../../toolchain/cache-paths.ts";
import type { Stage } from "../processes/launch.ts";
import { projectPath } from "../processes/project-path.ts";

/** Serves the console with the administrator's kubeconfig, and the bundle that the webhook decides by. Throws CONSOLE_…. */
export async function openConsole(stage: Stage): Promise<RunningConsole> {
  const { paths, env } = stage;
  const bytes = await readFile(paths.bundle);
  const [source, pages, policy] = await Promise.all([
    loadKubeconfig(paths.kubeconfig, {}),
    builtPages({ root: projectPath("."), cacheDir: join(defaultCacheFolder(env), "console") }),
    loadBundle(bytes, paths.bundle),
  ]);
  return startConsole({
    ...{ source, pages, policy, port: 0, systemNamespace: "landfall-system", catalog: projectPath("catalog") },
    sources: regoSources(bytes, paths.bundle),
    landfall: { main: projectPath("src/cli/main.ts"), env, kubeconfig: paths.kubeconfig },
    settings: inside(readBundle(bytes, paths.bundle).data, "landfall", "settings"),
    failed: (thrown, path) => {
      stage.report(`console ${path}: ${lineOf(thrown)}`);
    },
  });
}
