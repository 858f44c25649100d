import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { ChartReport } from "../../../src/cli/commands/impact/chart-impact.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";

const run = promisify(execFile);
const { kubeconfig } = inject("cluster");
const NAMESPACE = "chart-impact";
const PATH = `/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates`;
const LIMIT = { timeout: 120_000, interval: 300 };

let base: string;
let tenant: Tenant;

/** The output and the exit code. */
async function impact(...args: string[]): Promise<{ stdout: string; code: number }> {
  // Other tests install in the same cluster.
  const call = ["bin/landfall.js", "impact", ...args, "-n", NAMESPACE, "--kubeconfig", kubeconfig];
  return run(process.execPath, call).then(
    ({ stdout }) => ({ stdout, code: 0 }),
    (failed: unknown) => failed as { stdout: string; code: number },
  );
}

async function changedChart(name: string, change: (template: string) => string): Promise<string> {
  const folder = join(base, name);
  await cp("charts/vmtemplate", folder, { recursive: true });
  const template = join(folder, "templates/gcp/network.yaml");
  await writeFile(template, change(await readFile(template, "utf8")));
  return folder;
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-chart-impact-"));
  tenant = await createTenant(kubeconfig, NAMESPACE);
  await tenant.client.create<Resource>(PATH, {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
    ...{ metadata: { name: "web", namespace: NAMESPACE }, spec: { cpu: 2, memory: 4, provider: "gcp" } },
  });
  await vi.waitFor(async () => {
    const object = await tenant.client.get<Resource>(`${PATH}/web`);
    expect(object?.status?.["managed"]).toBeDefined();
  }, LIMIT);
});

afterAll(async () => {
  await tenant.close();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

describe("landfall impact --chart", () => {
  it("shows nothing for the chart that is installed", async () => {
    const { stdout, code } = await impact("--chart", "charts/vmtemplate", "-o", "json");
    const report = JSON.parse(stdout) as ChartReport;
    expect(code).toBe(0);
    expect(report.summary.objects).toBe(1);
    expect(report.objects).toEqual([]);
  });

  it("names the resources that another version would change", async () => {
    const chart = await changedChart("changed", (text) => text.replace("routingMode: REGIONAL", "routingMode: GLOBAL"));
    const { stdout } = await impact("--chart", chart, "-o", "json");
    const [found, ...more] = (JSON.parse(stdout) as ChartReport).objects;
    expect(more).toEqual([]);
    expect(found).toMatchObject({
      ...{ object: { kind: "VmTemplate", namespace: NAMESPACE, name: "web" }, failed: null },
      resources: [{ change: "change", kind: "ComputeNetwork", after: { spec: { routingMode: "GLOBAL" } } }],
    });
    const table = await impact("--chart", chart);
    expect(table.stdout).toMatch(/chart vm-template \S+: \d+ of \d+ objects change, \d+ fail; resources: /);
    expect(table.stdout).toContain(`${NAMESPACE}/web`);
    expect(table.stdout).toContain("~ ComputeNetwork");
  });

  it("exits with 3 if it cannot be rendered for an object", async () => {
    const chart = await changedChart("broken", (text) => `{{ fail "broken" }}\n${text}`);
    const { stdout, code } = await impact("--chart", chart, "-o", "json");
    expect(code).toBe(3);
    const [found] = (JSON.parse(stdout) as ChartReport).objects;
    expect(found?.failed).toContain("broken");
  });
});
