import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import pLimit from "p-limit";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { apiPath } from "../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../src/cluster/client/load-kubeconfig.ts";
import { admit } from "../../src/admission/admit.ts";
import { ensureCrd } from "../../src/composition/definition/ensure-crd.ts";
import { generateCrd } from "../../src/composition/definition/generate-crd.ts";
import { buildConsole } from "../../src/console/build-console.ts";
import { readGeography } from "../../src/console/map/read-geography.ts";
import { builtPages } from "../../src/console/pages/built-pages.ts";
import { readPages } from "../../src/console/pages/read-pages.ts";
import { createSessions } from "../../src/console/server/sessions.ts";
import { type Landfall, startLandfall } from "../../src/local/landfall/start-landfall.ts";
import { projectPath } from "../../src/local/processes/project-path.ts";
import { nowSeconds } from "../../src/model/time.ts";
import { context, create, patched, vm } from "../support/admission.ts";
import { openBrowser, openPage } from "../support/console/open-browser.ts";
import { show } from "../support/console/serve-consoles.ts";
import { loadPolicy } from "../support/load-policy.ts";
import { machineSpeed } from "../support/machine-speed.ts";

const OBJECTS = 10_000;
const COLLECTION = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/default/vmtemplates`;
/** What one list answers at most, as src/cluster/list-objects.ts asks for. */
const PAGE = 500;

let dir: string;
let landfall: Landfall;
let browser: Browser;
let admin: KubeClient;
/** What the console asked the API server for. */
const calls: string[] = [];

/** The client of the console, which notes every read. */
const noting = (client: KubeClient): KubeClient => ({
  ...client,
  get(path, options) {
    calls.push(`list ${path}`);
    return client.get(path, options);
  },
  stream(path, options) {
    calls.push(`watch ${path}`);
    return client.stream(path, options);
  },
});

/** 10,000 objects with the decision that admission makes for one of them; no controller is there to change them. */
async function createAll(): Promise<void> {
  const asked = vm({ cpu: 2, memory: 4, duration: "3h", deadline: "2035-01-01T00:00:00Z" }, { namespace: "default" });
  const decided = patched(asked, admit(create(asked), context(await loadPolicy(), nowSeconds())));
  const limit = pLimit(32);
  await Promise.all(
    Array.from({ length: OBJECTS }, (_, at) =>
      limit(() => {
        const metadata = { ...decided.metadata, name: `job-${String(at).padStart(5, "0")}` };
        return admin.create(COLLECTION, { ...decided, apiVersion: "composition.krateo.io/v0-2-0", metadata });
      }),
    ),
  );
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "landfall-console-"));
  browser = await openBrowser();
  landfall = await startLandfall({ dir: join(dir, "plane"), env: process.env, components: [] });
  admin = createClient(await loadKubeconfig(landfall.kubeconfig, {}));
  const schema = JSON.parse(await readFile("charts/vmtemplate/values.schema.json", "utf8")) as Record<string, unknown>;
  await ensureCrd(admin, generateCrd({ schema, chartName: "vm-template", chartVersion: "0.2.0" }));
  await vi.waitFor(async () => expect(await admin.get(COLLECTION)).not.toBeNull(), 30_000);
  await createAll();
});

afterAll(async () => {
  await admin.close();
  await browser.close();
  await landfall.stop();
  await rm(dir, { recursive: true, force: true, maxRetries: 5 });
});

it("shows 10,000 objects by one list in pages and one watch, and few rows and requests while they change", async () => {
  const config = await loadKubeconfig(landfall.kubeconfig, {});
  const client = createClient(config);
  const sessions = createSessions(() => performance.now());
  let host = "";
  const app = buildConsole({
    ...{
      client: noting(client),
      cluster: { ...config, recorded: null },
      systemNamespace: "landfall-system",
      callers: { sessions, hosts: () => [host] },
    },
    pages: await readPages(
      await builtPages({ root: projectPath("."), cacheDir: join(tmpdir(), "landfall-test-console") }),
    ),
    ...{ policy: await loadPolicy(), ruleLine: () => null, geography: await readGeography("catalog") },
    failed: (thrown) => {
      throw thrown;
    },
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  host = `127.0.0.1:${String((app.server.address() as AddressInfo).port)}`;
  try {
    const { page, requests, faults, open } = await openPage(browser);
    await page.goto(`http://${host}/objects#token=${sessions.token()}`);
    const beganAt = performance.now();
    await page.getByRole("link", { name: "job-00000" }).waitFor();
    const first = performance.now() - beganAt;
    await page.getByText(`1–100 of ${String(OBJECTS)}`).waitFor();
    const of = (what: string): number =>
      calls.filter((call) => call === `${what} ${COLLECTION.replace("namespaces/default/", "")}`).length;
    expect([of("list"), of("watch")]).toEqual([OBJECTS / PAGE, 1]);
    expect(await page.getByRole("row").count()).toBe(101);

    const again = performance.now();
    await show(page, "/objects?sort=created&order=descending&search=job-099");
    await page.getByText("1–100 of 100").waitFor();
    const second = performance.now() - again;
    expect(of("list")).toBe(OBJECTS / PAGE);

    // One change after the other: the page reads again once a second at most.
    const before = requests.length;
    const since = performance.now();
    for (let at = 0; at < 300; at += 1) {
      const path = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/default/vmtemplates/${`job-099${String(at % 100).padStart(2, "0")}`}`;
      await admin.patch(path, "merge", { metadata: { annotations: { "team.example.org/count": String(at) } } });
    }
    const seconds = (performance.now() - since) / 1000;
    expect(requests.length - before).toBeLessThanOrEqual(seconds + 2);
    expect([of("list"), of("watch"), open("/api/changes")]).toEqual([OBJECTS / PAGE, 1, 1]);
    const heap = (await page.evaluate("performance.memory.usedJSHeapSize")) as number;
    process.stdout.write(
      `console: first table of ${String(OBJECTS)} objects ${first.toFixed(0)} ms, another view ${second.toFixed(0)} ms, ` +
        `JavaScript heap of the tab ${(heap / 2 ** 20).toFixed(0)} MiB after 300 changes in ${seconds.toFixed(0)} s; ` +
        `this machine now makes ${machineSpeed().toFixed(0)} MiB of SHA-256 a second\n`,
    );
    expect(faults).toEqual([]);
  } finally {
    await app.close();
    await client.close();
  }
});
