import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { checkCharts } from "../../../scripts/check/check-charts.ts";
import { nameKind } from "../../../src/composition/definition/name-kind.ts";
import { renderChart } from "../../../src/composition/helm/render-chart.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { crdValidator } from "../../support/crd-validator.ts";
import { landfall, ROOT } from "../../support/scaffold.ts";
import { unformatted } from "../../support/unformatted.ts";

// Within the project, so that the generated test finds its libraries as it does below charts/.
await mkdir(join(ROOT, ".landfall"), { recursive: true });
const folder = await mkdtemp(join(ROOT, ".landfall/scaffold-"));
const crds = crdValidator(["src/local/crds", "charts/landfall/definitions"].map((crds) => join(ROOT, crds)));

afterAll(() => rm(folder, { recursive: true, force: true }));

const made = await landfall("scaffold", "chart", "private-network", "--dir", folder);
// The longest names that are taken: what is generated has to stay formatted with them.
const LONG = "database-of-a-kind-that-nobody-has-yet-a";
const other = ["--kind", "DbCluster", "--provider", "aws", "hetzner", "elemento"];
await landfall("scaffold", "chart", LONG, "--dir", folder, "--provider", "a".repeat(30), "gcp");
await landfall("scaffold", "chart", "db", "--dir", folder, ...other);
const charts = ["private-network", LONG, "db"].map((name) => join(folder, name));

async function manifests(chart: string, values: Record<string, unknown>): ReturnType<typeof renderChart> {
  const helm = { binary: await toolPath("helm"), kubeconfig: null, env: { HELM_CACHE_HOME: folder } };
  return renderChart({ helm, chartDir: join(folder, chart), values, name: "web", namespace: "demo" });
}

describe("a scaffolded chart", () => {
  it("passes the project's own checks unchanged, regardless of its names", async () => {
    expect(await checkCharts(charts)).toEqual([]);
  });

  it("is formatted as the project's files are", async () => {
    expect(await unformatted(folder, "charts")).toEqual([]);
  });

  it("renders objects that the providers' CRDs accept", async () => {
    for (const provider of ["azure", "aws", "gcp", "elemento"]) {
      const chart = provider === "elemento" ? "db" : "private-network";
      const rendered = await manifests(chart, {
        provider,
        schedulingLocation: "eu-1",
        tags: { on: "yes" },
      });
      expect(rendered.flatMap((manifest) => crds.check(manifest as never))).toEqual([]);
    }
  });

  it("uses a ConfigMap for a provider without known kinds", async () => {
    const rendered = await manifests("db", { provider: "hetzner", schedulingLocation: "fsn1", tags: { null: "1e3" } });
    expect(rendered).toMatchObject([
      { kind: "ConfigMap", metadata: { name: "web-hetzner" }, data: { location: "fsn1", tags: '{"null":"1e3"}' } },
    ]);
    const [rights, watched] = parseAllDocuments(await readFile(join(folder, "db/rbac.yaml"), "utf8")).map(
      (one) => one.toJS() as { rules: unknown[] },
    );
    expect(watched?.rules[0]).toMatchObject({ resources: ["dbclusters", "dbclusters/status"] });
    expect(rights?.rules).toMatchObject([
      { apiGroups: ["ec2.services.k8s.aws"], resources: ["vpcs"] },
      { apiGroups: ["elemento.landfall.dev"], resources: ["elementonetworks"] },
      { apiGroups: [""], resources: ["configmaps"] },
    ]);
  });

  it("creates the requested kind with the chart's name", async () => {
    const { name } = parse(await readFile(join(folder, "db/Chart.yaml"), "utf8")) as { name: string };
    expect([name, nameKind(name).kind]).toEqual(["db-cluster", "DbCluster"]);
    const definition = parse(await readFile(join(folder, "db/definition.yaml"), "utf8")) as object;
    expect(definition).toMatchObject({
      kind: "CompositionDefinition",
      spec: { chart: { url: expect.stringMatching(/\/db-cluster$/) as string, version: "0.1.0" } },
    });
  });

  it("reports the written files and the next steps", () => {
    expect(made.out).toContain("  private-network/values.schema.json\n");
    expect(made.out).toContain("20 files written\n\nnext\n");
    expect(made.out).toMatch(/helm package .*private-network and helm push\n {2}kubectl apply -f .*rbac\.yaml/);
  });
});

describe("the chart's own test", async () => {
  await import(pathToFileURL(join(folder, "private-network/tests/private-network.test.ts")).href);
});
