import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { explainFailure } from "../../../src/composition/helm/explain-failure.ts";
import { fetchChart, pullArguments } from "../../../src/composition/helm/fetch-chart.ts";
import { readConflict } from "../../../src/composition/helm/read-conflict.ts";
import type { Helm } from "../../../src/composition/helm/run-helm.ts";
import { renderChart } from "../../../src/composition/helm/render-chart.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

const chartDir = fileURLToPath(new URL("../../fixtures/charts/test-vm", import.meta.url));
const failed = (stderr: string) => explainFailure({ action: "install", release: "a-1", chart: "vm", stderr });
const coded = (code: string, text: string | RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(text) as string }) as Error;

let base: string;
let helm: Helm;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-helm-"));
  const home = { HELM_CACHE_HOME: base, HELM_CONFIG_HOME: base, HELM_DATA_HOME: base, HOME: base };
  helm = { binary: await toolPath("helm"), env: home, kubeconfig: null };
  // On a fresh machine helm is built first.
}, 600_000);
afterAll(() => rm(base, { recursive: true, force: true }));

describe("helm's failures", () => {
  it.each([
    [
      "a template that fails",
      "Error: INSTALLATION FAILED: execution error at (vm/templates/vm.yaml:1:25): told so\n",
      "REL_RENDER",
      "chart vm does not render: templates/vm.yaml:1: told so",
    ],
    [
      "values that the schema refuses",
      "Error: UPGRADE FAILED: values don't meet the specifications of the schema(s) in the following chart(s):\nvm:\n- at '/cpu': got string, want integer\n",
      "REL_RENDER",
      "chart vm does not render: values: - at '/cpu': got string, want integer",
    ],
    [
      "an API server that is away",
      "Error: INSTALLATION FAILED: unable to build kubernetes objects from release manifest: dial tcp: connection refused\n",
      "REL_HELM",
      "helm install of a-1 failed: unable to build kubernetes objects from release manifest: dial tcp: connection refused",
    ],
    ["silence", "", "REL_HELM", "helm install of a-1 failed: helm said nothing"],
  ])("%s", (_, stderr, code, message) => {
    expect(failed(stderr)).toMatchObject({ code, message });
  });
});

describe("a resource that helm refuses", () => {
  const refused = (what: string) =>
    'Error: INSTALLATION FAILED: unable to continue with install: ComputeNetwork "shared-net" in namespace "demo" exists ' +
    `and cannot be imported into the current release: invalid ownership metadata; ${what}`;
  const key = (name: string, wanted: string, value: string) =>
    `annotation validation error: key "meta.helm.sh/${name}" must equal "${wanted}": current value is "${value}"`;
  it.each([
    ["another release's", key("release-name", "a-1", "b-2"), { release: "b-2", namespace: "demo" }],
    ["one's of another namespace", key("release-namespace", "demo", "prod"), { release: "a-1", namespace: "prod" }],
    [
      "nobody's of helm",
      'label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"; annotation validation ' +
        'error: missing key "meta.helm.sh/release-name": must be set to "a-1"',
      null,
    ],
  ])("is %s", (_, what, holder) => {
    const taken = { kind: "ComputeNetwork", name: "shared-net", holder };
    expect(readConflict(refused(what), "a-1", "demo")).toEqual(taken);
  });
  it("is none where helm failed for something else", () => {
    expect(readConflict("Error: INSTALLATION FAILED: connection refused", "a-1", "demo")).toBeNull();
  });
});

describe("fetching a chart", () => {
  it.each([
    [
      "an OCI reference",
      { url: "oci://reg.example/c/vm", version: "1.0.0" },
      ["pull", "oci://reg.example/c/vm", "--version", "1.0.0"],
    ],
    [
      "a registry on this machine",
      { url: "oci://127.0.0.1:5000/vm" },
      ["pull", "oci://127.0.0.1:5000/vm", "--plain-http"],
    ],
    [
      "a repository",
      { url: "https://charts.example", repo: "vm", version: "1.0.0" },
      ["pull", "vm", "--repo", "https://charts.example", "--version", "1.0.0"],
    ],
    [
      "an archive",
      { url: "https://x.example/vm-1.0.0.tgz", version: "1.0.0" },
      ["pull", "https://x.example/vm-1.0.0.tgz"],
    ],
  ])("%s", (_, reference, expected) => {
    expect(pullArguments(reference, null)).toEqual(expected);
  });

  it("keeps the password of an OCI registry out of the arguments", () => {
    const passwordRef = { namespace: "a", name: "b", key: "c" };
    const reference = { url: "oci://reg.example/vm", credentials: { username: "me", passwordRef } };
    expect(pullArguments(reference, "secret")).toEqual(["pull", "oci://reg.example/vm"]);
  });

  it("reads a directory as it is, and names what is wrong with one", async () => {
    const fetch = (url: string) => fetchChart({ helm, reference: { url }, password: null, directory: base });
    expect(await fetch(chartDir)).toMatchObject({ name: "test-vm", version: "0.1.0", directory: chartDir });
    await expect(fetch("/no/such/folder")).rejects.toThrow(coded("REL_CHART_UNREADABLE", "no such directory"));
    await writeFile(join(base, "Chart.yaml"), "name: x\n");
    await expect(fetch(base)).rejects.toThrow(coded("REL_CHART_UNREADABLE", "lacks name or version"));
  });
});

describe("renderChart", () => {
  const render = (values: Record<string, unknown>) =>
    renderChart({ helm, chartDir, values, name: "r", namespace: "demo" });

  it("gives the chart's objects without a cluster", async () => {
    const objects = await render({ cpu: 2, disks: 2, global: { compositionName: "a" } });
    expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name ?? ""}`)).toEqual([
      "TestDisk/a-0",
      "TestDisk/a-1",
      "TestMachine/a",
      "TestNetwork/a",
    ]);
  });

  it("throws REL_RENDER with helm's words, for the template and for the schema", async () => {
    await expect(render({ cpu: 2, fail: "boom", global: {} })).rejects.toThrow(
      coded("REL_RENDER", "told to fail: boom"),
    );
    await expect(render({ cpu: 2, typo: 1 })).rejects.toThrow(
      coded("REL_RENDER", "additional properties 'typo' not allowed"),
    );
  });
});
