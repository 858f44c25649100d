import { execFile, spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { stringify } from "yaml";
import type { Finding } from "../../../src/audit/finding.ts";
import type { Report } from "../../../src/audit/report.ts";
import { scan } from "../../../src/audit/scan.ts";
import { scanOnce } from "../../../src/audit/start-scans.ts";
import { buildBundle } from "../../../src/bundle/build-bundle.ts";
import { createClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { createClusterData } from "../../../src/external-data/cluster-data.ts";
import type { KubernetesObject } from "../../../src/model/kubernetes.ts";
import { loadBundle } from "../../../src/policy/load-bundle.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { vm } from "../../support/admission.ts";
import { nowSeconds } from "../../../src/model/time.ts";

const run = promisify(execFile);
let base: string;
const { kubeconfig, bundle } = inject("cluster");
const NAMESPACE = "audited";
let kubectl: string;
let stricter: string;

/** The project's bundle, but without Azure, and with an exemption for one object. */
async function buildStricter(): Promise<string> {
  const source = join(base, "policies");
  await cp("policies/bundle", source, { recursive: true });
  const file = join(source, "landfall/settings/data.yaml");
  const settings = (await readFile(file, "utf8"))
    .replace("providers: [azure, aws, gcp, elemento]", "providers: [aws, gcp, elemento]")
    .replace("exemptable: [", "exemptable: [POL_PROVIDER, ")
    .replace(
      "exemptions: []",
      `exemptions: [{ id: EX-7, owner: team-a, reason: moves soon, expires: "2099-12-31", codes: [POL_PROVIDER], namespaces: [${NAMESPACE}], names: [exempt] }]`,
    );
  await writeFile(file, settings);
  const output = join(base, "stricter.tar.gz");
  const opa = await toolPath("opa");
  const capabilities = "policies/capabilities.json";
  await buildBundle({ opa, source, catalog: "catalog", output, revision: "stricter", capabilities });
  return output;
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-audit-"));
  kubectl = await toolPath("kubectl");
  await call("create", "namespace", NAMESPACE);
  stricter = await buildStricter();
});

afterAll(async () => {
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

const call = async (...args: string[]): Promise<string> =>
  (await run(kubectl, ["--kubeconfig", kubeconfig, ...args])).stdout;

async function apply(name: string, spec: object): Promise<void> {
  const file = join(base, `${name}.yaml`);
  await writeFile(file, stringify(vm({ cpu: 2, memory: 4, ...spec }, { name, namespace: NAMESPACE })));
  await call("apply", "-f", file);
}

function audit(...flags: string[]): { code: number | null; out: string } {
  const args = ["bin/landfall.js", "audit", "--kubeconfig", kubeconfig, "--namespace", NAMESPACE, ...flags];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { code: status, out: stdout };
}

async function reports(): Promise<(Report & KubernetesObject)[]> {
  const list = await call("get", "placementreports", "-n", NAMESPACE, "-o", "json");
  return (JSON.parse(list) as { items: (Report & KubernetesObject)[] }).items;
}

describe("landfall audit", () => {
  it("reports nothing about objects that stay, and exits with 0", async () => {
    await apply("pinned", { provider: "azure" });
    await apply("exempt", { provider: "azure" });
    await apply("free", { provider: "gcp" });
    // What is being installed is not yet listed in its object's status.
    await vi.waitFor(() => {
      expect(audit("--bundle", bundle)).toEqual({
        ...{ code: 0, out: "3 objects: 0 deny, 0 undecided, 0 move, 0 move-on-recreate, 3 stay\n" },
      });
    }, 60_000);
  });

  it("reports what another bundle would deny, honours exemptions, and exits with 3", () => {
    const { code, out } = audit("--bundle", stricter, "-o", "json");
    expect(code).toBe(3);
    const { findings } = JSON.parse(out) as { findings: Finding[] };
    const verdicts = Object.fromEntries(findings.map(({ name, verdict, codes }) => [name, [verdict, ...codes]]));
    expect(verdicts).toEqual({ pinned: ["deny", "POL_PROVIDER"], exempt: ["stay"], free: ["stay"] });
    const table = audit("--bundle", stricter);
    expect(table.out).toMatch(
      /deny +VmTemplate audited\/pinned +azure\/\S+ +provider azure is not allowed here.*POL_PROVIDER/,
    );
    expect(table.out).not.toContain("exempt");
  });

  it("writes a report per namespace, and writes it again only when it changed", async () => {
    await vi.waitFor(async () => {
      expect(await reports()).toMatchObject([{ summary: { objects: 3, deny: 0, stay: 3 }, results: [] }]);
    }, 40_000);
    // The controller's own scan, by its own bundle, may come between: then once more.
    const written = await vi.waitFor(async () => {
      audit("--bundle", stricter, "--write");
      const [report] = await reports();
      expect(report).toMatchObject({
        metadata: { name: "landfall", namespace: NAMESPACE },
        summary: { objects: 3, deny: 1, stay: 2 },
        results: [{ name: "pinned", verdict: "deny", codes: ["POL_PROVIDER"] }],
      });
      return report;
    }, 60_000);
    const client = createClient(await loadKubeconfig(kubeconfig, {}));
    const policy = await loadBundle(await readFile(stricter), stricter);
    // As the command does it, but within this process: the controller's next scan is seconds away.
    const write = (): Promise<unknown> =>
      scanOnce({
        client,
        policy: () =>
          Promise.resolve({
            ...{ digest: policy.digest, zones: [], settingNames: {} },
            audit: (objects, { events, ...data }) => {
              const clusterData = createClusterData();
              for (const event of events) clusterData.apply(event);
              return scan(objects, { policy, clusterData, ...data });
            },
          }),
        forecasts: () => Promise.resolve(null),
        nowSeconds,
        record: () => undefined,
      });
    await vi.waitFor(async () => {
      await write();
      const [first] = await reports();
      await write();
      const [again] = await reports();
      expect(again?.summary).toEqual(written?.summary);
      expect(again?.metadata).toEqual(first?.metadata);
    }, 60_000);
    await client.close();
  });

  it("shows settings of a namespace that cannot be read, as the controller does by Events on the namespace", async () => {
    const name = "audited-settings";
    await call("create", "namespace", name);
    await call("annotate", "namespace", name, "landfall.dev/max-latncy=30", "landfall.dev/residency=Europe");
    const messages = [
      "annotation landfall.dev/max-latncy is not a setting of a namespace, so it has no effect; write landfall.dev/max-latency",
      'annotation landfall.dev/residency "Europe" is not valid, so objects of the namespace are denied; write "EU"',
    ];
    const args = ["bin/landfall.js", "audit", "--kubeconfig", kubeconfig, "--namespace", name];
    const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(stdout.split("\n").slice(1)).toEqual([
      "2 settings of namespaces that cannot be read:",
      ...messages.map((message) => `  ${name}: ${message}`),
      "",
    ]);
    await vi.waitFor(
      async () => {
        const fields = `involvedObject.kind=Namespace,involvedObject.name=${name}`;
        const list = await call("get", "events", "-n", "default", "--field-selector", fields, "-o", "json");
        const { items } = JSON.parse(list) as { items: { reason: string; message: string; type: string }[] };
        expect(items.map(({ message }) => message).sort()).toEqual(messages);
        expect(items[0]).toMatchObject({ type: "Warning", reason: "SettingUnreadable" });
      },
      { timeout: 60_000, interval: 500 },
    );
  });
});
