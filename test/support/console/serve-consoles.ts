import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { actAs } from "../../../src/cluster/client/act-as.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { regoSources } from "../../../src/console/explanation/rego-sources.ts";
import { builtPages } from "../../../src/console/pages/built-pages.ts";
import { type RunningConsole, startConsole } from "../../../src/console/start-console.ts";
import { projectPath } from "../../../src/local/processes/project-path.ts";
import { inside } from "../../../src/model/schemas/setting-problem.ts";
import { readBundle } from "../../../src/policy/read-bundle.ts";
import { loadBundle } from "../../../src/policy/load-bundle.ts";
import { openPage, WIDE, type PageOptions, type Watched } from "./open-browser.ts";

export interface Consoles {
  /**
   * Serves the cluster with the rights of a user, of the administrator if it is null, unless such a console runs already: each
   * watches the whole cluster. `server`: another way to the API server.
   */
  serve: (user: string | null, server?: string) => Promise<RunningConsole>;
  /** Stops all of them. */
  stop: () => Promise<void>;
}

/** Consoles of the shared cluster, with the pages of this tree. */
export function serveConsoles(kubeconfig: string, bundle: string): Consoles {
  const consoles = new Map<string, RunningConsole>();
  // They never change: all consoles share them.
  const loaded = readFile(bundle).then(async (bytes) => ({ bytes, policy: await loadBundle(bytes, bundle) }));
  const pages = builtPages({ root: projectPath("."), cacheDir: join(tmpdir(), "landfall-test-console") });
  return {
    async serve(user, server) {
      const key = JSON.stringify([user, server]);
      const running = consoles.get(key);
      if (running !== undefined) return running;
      const { bytes, policy } = await loaded;
      const own = await loadKubeconfig(kubeconfig, {});
      const config = server === undefined ? own : { ...own, server };
      const started = await startConsole({
        source: user === null ? config : actAs(config, user),
        pages: await pages,
        policy,
        tarballs: { platform: { bytes, ref: bundle }, others: [] },
        // A command has the rights of the kubeconfig, which are the administrator's.
        landfall: {
          ...{ main: projectPath("src/cli/main.ts"), env: process.env },
          kubeconfig: user === null ? kubeconfig : null,
          registry: [],
        },
        settings: inside(readBundle(bytes, bundle).data, "landfall", "settings"),
        ...{ sources: regoSources(bytes, bundle), systemNamespace: "landfall-system", port: 0 },
        catalog: projectPath("catalog"),
        failed: (thrown) => {
          throw thrown;
        },
      });
      const stop = async (): Promise<void> => {
        consoles.delete(key);
        await started.stop();
      };
      const served = { ...started, stop };
      consoles.set(key, served);
      return served;
    },
    stop: async () => void (await Promise.all([...consoles.values()].map((one) => one.stop()))),
  };
}

/** Pages that are signed in, by their console. */
const signedIn = new WeakMap<RunningConsole, Watched>();

/** Signs a page of a new profile in, by the console's address. */
async function openSignedIn(browser: Browser, running: RunningConsole, options: PageOptions): Promise<Watched> {
  const watched = await openPage(browser, options);
  await watched.page.goto(running.address());
  signedIn.set(running, watched);
  return watched;
}

/** Loads the page anew, as it was when it was signed in. Its profile has the compiled code of the console's pages. */
async function reuse(watched: Watched, { viewport = WIDE }: PageOptions): Promise<Watched> {
  const { page, faults, requests } = watched;
  await page.setViewportSize(viewport);
  for (const recorded of [faults, requests]) recorded.length = 0;
  await page.goto(new URL("/", page.url()).href);
  return watched;
}

/** A page with the console's first view, which was signed in by the console's address. Tests of one console use one page. */
export async function signInTo(browser: Browser, running: RunningConsole, options: PageOptions = {}): Promise<Watched> {
  const known = signedIn.get(running);
  const watched = known === undefined ? await openSignedIn(browser, running, options) : await reuse(known, options);
  await watched.page.getByRole("heading", { level: 1 }).waitFor();
  return watched;
}

/** Opens another view of the page that is signed in. */
export async function show(page: Page, view: string): Promise<void> {
  await page.goto(new URL(view, page.url()).href);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator(".loading").waitFor({ state: "detached" });
}

const axeSource = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * The rules of WCAG 2.2 AA that the page breaks in light and in dark colours, with the elements. The page is loaded once for both:
 * the theme changes colours alone (web/src/styles/tokens.css), so the rules about anything else are checked once.
 */
export async function violationsInBoth(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await violations(page);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await violations(page, { type: "rule", values: ["color-contrast", "link-in-text-block"] });
  return [...dark.map((one) => `dark: ${one}`), ...light.map((one) => `light: ${one}`)];
}

const WCAG = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
};

/** The rules that the page breaks, of WCAG 2.2 AA unless others are given, with the elements. */
export async function violations(page: Page, runOnly = WCAG): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(await axeSource);
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    // Only violations are read. What passes, and the selectors of elements, take a tenth of the time.
    const found = await axe.run({ runOnly: only, resultTypes: ["violations"], selectors: false });
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  }, runOnly);
}
