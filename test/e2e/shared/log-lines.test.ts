// The logs of the processes as they run: one form of times, and the decision's id in each line about an object.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { readDecision } from "../../../src/model/decision-annotation/compact-decision.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";

const { kubeconfig, dir } = inject("cluster");
const NAMESPACE = "log-lines";
const PATH = `/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates`;
const LIMIT = { timeout: 120_000, interval: 300 };

let tenant: Tenant;
let decision: string;

type Line = Record<string, unknown>;

const linesOf = async (process: string): Promise<Line[]> =>
  (await readFile(join(dir, "logs", `${process}.log`), "utf8"))
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Line);

const isAbout = ({ namespace, key, release }: Line): boolean =>
  namespace === NAMESPACE || String(key).includes(`/${NAMESPACE}/`) || String(release).startsWith("logged-");

beforeAll(async () => {
  tenant = await createTenant(kubeconfig, NAMESPACE);
  await tenant.client.create<Resource>(PATH, {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
    ...{ metadata: { name: "logged", namespace: NAMESPACE }, spec: { cpu: 2, memory: 4, provider: "gcp" } },
  });
  await vi.waitFor(async () => {
    const object = await tenant.client.get<Resource>(`${PATH}/logged`);
    expect(object?.status?.["managed"]).toBeDefined();
    decision = readDecision(object as Resource)?.id ?? "";
  }, LIMIT);
  await tenant.client.patch(`${PATH}/logged`, "merge", { metadata: { labels: { team: "a" } } });
  await tenant.client.remove(`${PATH}/logged`);
  await vi.waitFor(async () => expect(await tenant.client.get(`${PATH}/logged`)).toBeNull(), LIMIT);
});

afterAll(() => tenant.close());

it("has times of one form in the lines of all processes", async () => {
  for (const process of ["webhook", "composition", "simulators"]) {
    const lines = await linesOf(process);
    expect(lines.length, process).toBeGreaterThan(0);
    for (const { time } of lines) expect(time, process).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
});

it("has the decision's id in each line about an object", async () => {
  const lines = await vi.waitFor(async () => {
    const found = [...(await linesOf("webhook")), ...(await linesOf("composition"))].filter(isAbout);
    // Two webhooks for the creation and for the label, an installation and an uninstallation.
    expect(found.filter(({ msg }) => msg === "admission").length).toBeGreaterThanOrEqual(4);
    expect(found.filter(({ msg }) => msg === "helm").map(({ verb }) => verb)).toEqual(["install", "uninstall"]);
    return found;
  }, LIMIT);
  expect(decision).toMatch(/^[0-9a-f]{6}$/);
  expect(lines.filter((line) => line["decision"] !== decision)).toEqual([]);
  for (const { ms, waitedMs } of lines.filter(({ msg }) => msg === "helm"))
    expect([typeof ms, typeof waitedMs]).toEqual(["number", "number"]);
});
