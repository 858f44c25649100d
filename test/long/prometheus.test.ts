// A real Prometheus reads the processes, evaluates the alerts, and answers every query of the dashboards. promtool checks all of them.
// Prometheus and promtool are built from source at the first run: about three minutes on two cores.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { DASHBOARDS } from "../../scripts/dashboards/panels.ts";
import { freePorts } from "../../src/local/processes/free-ports.ts";
import { type Landfall, startLandfall } from "../../src/local/landfall/start-landfall.ts";
import type { Resource } from "../../src/composition/types.ts";
import { toolPath } from "../../src/toolchain/tool-path.ts";
import { until } from "../e2e/composition/cluster-under-test.ts";
import { textClient } from "../support/text-client.ts";

const run = promisify(execFile);
const ALERTS = new URL("../../charts/landfall/files/alerts.yaml", import.meta.url).pathname;
const ALERT_TESTS = new URL("../fixtures/monitoring/alert-tests.yaml", import.meta.url).pathname;
const PATH = "/apis/composition.krateo.io/v0-2-0/namespaces/default/vmtemplates";

let base: string;
let landfall: Landfall;
let prometheus: ChildProcess;
let port: number;
let promtool: string;

const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });

interface Answer {
  status: string;
  error?: string;
  data?: { result: { metric: Record<string, string>; value: [number, string] }[] };
}

async function ask(expr: string): Promise<NonNullable<Answer["data"]>["result"]> {
  const url = `http://127.0.0.1:${String(port)}/api/v1/query?query=${encodeURIComponent(expr)}`;
  const { body } = await request(url);
  const answer = (await body.json()) as Answer;
  if (answer.status !== "success") throw new Error(`${expr}: ${answer.error ?? ""}`);
  return answer.data?.result ?? [];
}

/** Every process's address of metrics. */
const targets = (): Record<string, string> => ({ webhook: landfall.webhookUrl ?? "", ...landfall.healthUrls });

function scrapeConfig(): object {
  const jobs = Object.entries(targets()).map(([name, url]) => ({
    job_name: name,
    scheme: url.split(":")[0],
    tls_config: { insecure_skip_verify: true },
    static_configs: [{ targets: [url.replace(/^https?:\/\//, "")] }],
  }));
  return { global: { scrape_interval: "1s", evaluation_interval: "1s" }, rule_files: [ALERTS], scrape_configs: jobs };
}

async function startPrometheus(): Promise<void> {
  const config = join(base, "prometheus.yaml");
  await writeFile(config, stringify(scrapeConfig()));
  await run(promtool, ["check", "config", config]);
  [port = 0] = await freePorts(1);
  const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(base, "data")}`];
  const listen = `--web.listen-address=127.0.0.1:${String(port)}`;
  prometheus = spawn(await toolPath("prometheus"), [...flags, listen, "--log.level=error"], { stdio: "inherit" });
  await until(async () => (await ask("up")).length === Object.keys(targets()).length);
}

/** What the queries ask for: objects that are admitted, denied, installed, and deleted. */
async function makeData(): Promise<void> {
  const client = textClient(landfall.client);
  const create = (name: string, spec: object) =>
    client.create<Resource>(PATH, {
      ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
      ...{ metadata: { name, namespace: "default" }, spec },
    });
  await client.patch("/api/v1/namespaces/default", "merge", {
    metadata: { annotations: { "landfall.dev/quota-objects": "50" } },
  });
  const isReady = async (name: string): Promise<boolean> =>
    JSON.stringify((await client.get<Resource>(`${PATH}/${name}`))?.status ?? {}).includes('"reason":"Available"');
  // Twice: a rate needs a series that was there before.
  for (const round of ["a", "b"]) {
    const [lasting, run] = [`lasting-${round}`, `run-${round}`];
    await until(async () =>
      create(run, { cpu: 2, memory: 4, duration: "1h", provider: "gcp", origin: "gcp/europe-west8" }),
    );
    await create(lasting, { cpu: 2, memory: 4, provider: "gcp" });
    await create(`elemento-${round}`, { cpu: 2, memory: 4, provider: "elemento" }).catch(() => undefined);
    await expect(create(`too-big-${round}`, { cpu: 2, memory: 40_000 })).rejects.toThrow("PLACEMENT_NONE");
    await until(() => isReady(lasting), 120);
    await client.remove(`${PATH}/${lasting}`);
    await until(async () => (await client.get(`${PATH}/${lasting}`)) === null, 120);
    await sleep(3000);
  }
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-prometheus-"));
  promtool = await toolPath("promtool");
  landfall = await startLandfall({ dir: join(base, "plane"), env: process.env, speed: 4 });
  await startPrometheus();
  await makeData();
});

afterAll(async () => {
  const ended = once(prometheus, "exit");
  prometheus.kill("SIGTERM");
  await ended;
  await landfall.stop();
  await dispatcher.close();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

it("promtool accepts the metrics of each process", async () => {
  const found = Object.entries(targets());
  expect(found.map(([name]) => name).sort()).toEqual(["composition", "elemento", "webhook"]);
  for (const [name, url] of found) {
    const { body } = await request(`${url}/metrics`, { dispatcher });
    const checked = run(promtool, ["check", "metrics"]);
    checked.child.stdin?.end(await body.text());
    const { stdout, stderr } = await checked;
    expect([name, stdout + stderr]).toEqual([name, ""]);
  }
});

it("promtool accepts the alerts, and they fire when they should", async () => {
  expect((await run(promtool, ["check", "rules", ALERTS])).stdout).toContain("SUCCESS");
  const tests = join(base, "alert-tests.yaml");
  await writeFile(tests, (await readFile(ALERT_TESTS, "utf8")).replace("[ALERTS]", `[${ALERTS}]`));
  expect((await run(promtool, ["test", "rules", tests])).stdout).toContain("SUCCESS");
});

/** Nothing of these happens here: no data image, no forecast source, no quarantine, nothing that ends late. */
const WITHOUT_DATA =
  /landfall_bundle_data_timestamp_seconds|landfall_bundle_quarantined|landfall_forecast_|landfall_start_delay_seconds/;

it("answers every query of the dashboards, with data", async () => {
  const panels = DASHBOARDS.flatMap(({ rows }) => rows.flatMap((row) => row.panels));
  const queries = panels.flatMap((panel) => panel.queries.map(({ expr }) => expr));
  const empty: string[] = [];
  for (const expr of queries) {
    const hasData = async (): Promise<boolean> =>
      WITHOUT_DATA.test(expr) || (await ask(expr)).some(({ value }) => Number.isFinite(Number(value[1])));
    await until(hasData, 60).catch(() => empty.push(expr));
  }
  expect(empty).toEqual([]);
});

it("shows what happened", async () => {
  const valueOf = async (expr: string): Promise<number> => Number((await ask(expr))[0]?.value[1]);
  expect(await valueOf('landfall_admission_denials_total{code="PLACEMENT_NONE"}')).toBe(2);
  expect(await valueOf('sum(landfall_decisions_total{provider="gcp"})')).toBeGreaterThanOrEqual(4);
  expect(await valueOf("sum(landfall_decided_usd_total)")).toBeGreaterThan(0);
  expect(await valueOf('sum(landfall_helm_duration_seconds_count{verb="uninstall",result="ok"})')).toBeGreaterThan(0);
  // Every half a minute.
  await until(async () => (await valueOf('landfall_admission_probe_seconds_count{result="decided"}')) > 0);
  expect(await valueOf("sum(landfall_controller_leads)")).toBe(1);
  const firing = await ask('ALERTS{alertstate="firing"}');
  expect(firing.map(({ metric }) => metric["alertname"])).toEqual([]);
});
