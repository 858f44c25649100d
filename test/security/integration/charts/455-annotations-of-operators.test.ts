// 455: nothing that a tenant writes into a Landfall object becomes an annotation of a provider object: operators act on those, such as
// eks.services.k8s.aws/force-upgrade. Rights on provider objects are what they take.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renderCluster, CHART as CLUSTER } from "../../../support/charts/render-cluster.ts";
import { chartWithoutSchema, type Manifest, renderVm, CHART as MACHINE } from "../../../support/charts/render-vm.ts";

const HOSTILE: Record<string, string> = {
  "eks.services.k8s.aws/force-upgrade": "true",
  "services.k8s.aws/read-only": "true",
  "services.k8s.aws/adoption-policy": "adopt",
  "serviceoperator.azure.com/reconcile-policy": "skip",
  "cnrm.cloud.google.com/project-id": "of-others",
  "elemento.landfall.dev/abandon": "true",
};

type Values = Record<string, unknown>;

/** The values with these words wherever a tenant names keys: in tags, and in labels and taints of pools. */
function withWords(values: Values, words: Record<string, string>): Values {
  const pools = (values["nodePools"] as Values[] | undefined)?.map((pool, at) => ({
    ...pool,
    labels: words,
    // The first pool has the provider's own services.
    taints: at === 0 ? [] : Object.entries(words).map(([key, value]) => ({ key, value, effect: "NoSchedule" })),
  }));
  return {
    ...values,
    tags: words,
    labels: words,
    annotations: words,
    ...(pools === undefined ? {} : { nodePools: pools }),
  };
}

const fullValues = async (chart: string): Promise<[string, Values][]> => {
  const files = (await readdir(join(chart, "ci"))).filter((file) => /^(?:aws|azure|gcp)-full-values/.test(file));
  return Promise.all(
    files.map(
      async (file) => [file, parse(await readFile(join(chart, "ci", file), "utf8")) as Values] as [string, Values],
    ),
  );
};

const annotationsOf = (manifests: readonly Manifest[]): unknown =>
  manifests.map(({ kind, metadata }) => [kind, metadata.name, metadata.annotations]);

const [machines, clusters] = [await fullValues(MACHINE), await fullValues(CLUSTER)];

describe("455: words of a tenant for operators", () => {
  it.each(machines)("become no annotation of a machine: %s", async (_, values) => {
    const bare = await chartWithoutSchema();
    const [plain, hostile] = await Promise.all([
      renderVm({ ...values, tags: { team: "web" } }, bare),
      renderVm(withWords(values, HOSTILE), bare),
    ]);
    expect(annotationsOf(hostile)).toEqual(annotationsOf(plain));
    expect(JSON.stringify(hostile)).toContain("force-upgrade");
  });

  it.each(clusters)("become no annotation of a cluster: %s", async (_, values) => {
    const { nodePools } = withWords(values, HOSTILE);
    const [plain, hostile] = await Promise.all([renderCluster(values), renderCluster({ ...values, nodePools })]);
    expect(annotationsOf(hostile)).toEqual(annotationsOf(plain));
    expect(JSON.stringify(hostile)).toContain("force-upgrade");
  });

  it.each([
    ["a tag", { tags: HOSTILE }],
    ["annotations", { annotations: HOSTILE }],
    ["labels", { labels: HOSTILE }],
  ])("are refused by the chart as %s", async (_, words) => {
    const [, values] = machines[0] as [string, Values];
    await expect(renderVm({ ...values, ...words })).rejects.toMatchObject({ code: "REL_RENDER" });
  });
});
