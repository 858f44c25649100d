import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renderedCluster, renderedMachine } from "../../../src/admission/update/installed/rendered.ts";
import { CHART as CLUSTER_CHART, renderCluster } from "../../support/charts/render-cluster.ts";
import { CHART as VM_CHART, renderVm } from "../../support/charts/render-vm.ts";
import { vm } from "../../support/admission.ts";

type Fields = Record<string, unknown>;

async function readCases(chart: string): Promise<[string, Fields][]> {
  const files = (await readdir(join(chart, "ci"))).filter((file) => file.endsWith("-values.yaml")).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(chart, "ci", file), "utf8")));
  return texts.map((text, index) => [files[index] ?? "", parse(text) as Fields]);
}

/** The values without the fields that are undefined, and `only` those that admission compares as its user wrote them. */
const asValues = (rendered: Fields, original: Fields, only: readonly string[]): Fields => {
  const kept = Object.fromEntries(only.flatMap((field) => (field in original ? [[field, original[field]]] : [])));
  const others = Object.entries(rendered).filter(([field]) => !only.includes(field));
  return JSON.parse(JSON.stringify({ ...Object.fromEntries(others), ...kept })) as Fields;
};

/** AWS changes groups in place: admission compares them apart from the network. */
function withGroups(values: Fields, { network }: Fields): Fields {
  const { existing: original } = (network ?? {}) as { existing?: Fields };
  const groups = original?.["securityGroups"];
  if (groups === undefined) return values;
  const { existing, ...rest } = values["network"] as { existing: Fields };
  return { ...values, network: { ...rest, existing: { ...existing, securityGroups: groups } } };
}

const [machines, clusters] = [await readCases(VM_CHART), await readCases(CLUSTER_CHART)];

// Admission takes these values for the same as none: then the charts must too.
describe("the values that admission takes where a spec has none", () => {
  it.each(machines)("render the same machine as %s", async (_file, values) => {
    const rendered = renderedMachine(vm(values), String(values["provider"]));
    const spelledOut = withGroups(asValues(rendered, values, ["maxLifetime", "interruptible", "maxPrice"]), values);
    expect(Object.keys(spelledOut).length).toBeGreaterThan(Object.keys(values).length);
    expect(await renderVm(spelledOut)).toEqual(await renderVm(values));
  });

  it.each(clusters)("render the same cluster as %s", async (_file, values) => {
    const { nodePools, ...rendered } = renderedCluster(vm(values), String(values["provider"]));
    const original = values["nodePools"] as Fields[];
    const pools = (nodePools as Fields[]).map(({ count: _count, gpu: _gpu, ...pool }, index) => {
      const { count, gpu = 0 } = original[index] ?? {};
      const nodes = "max" in (original[index] ?? {}) ? {} : { count: count ?? 1 };
      return { ...pool, ...nodes, gpu };
    });
    const spelledOut = asValues({ ...rendered, nodePools: pools }, values, []);
    expect(await renderCluster(spelledOut)).toEqual(await renderCluster(values));
  });
});
