import { pino } from "pino";
import { expect, it } from "vitest";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import type { Composition } from "../../../../src/composition/context/composition-context.ts";
import { FINALIZER, LABEL } from "../../../../src/composition/keys.ts";
import { Rollouts } from "../../../../src/composition/rollout/rollouts.ts";
import type { CompositionDefinition, Resource, ServedChart } from "../../../../src/composition/types.ts";

const NOW = 1_800_000_000;
const served = (name: string) =>
  ({
    ...{ definition: { namespace: "platform", name }, version: "v0-2-0" },
    chart: { name, version: "0.2.0" },
  }) as unknown as ServedChart;
const INSTALLED = { version: "v0-1-0-rc-1", chart: "0.1.0-rc.1" };
const object = (uid: string, of: string): Composition =>
  ({
    key: `shop/${uid}`,
    object: {
      metadata: {
        ...{ uid, name: uid, namespace: "shop", finalizers: [FINALIZER] },
        labels: { [LABEL.version]: "v0-1-0-rc-1", [LABEL.releaseName]: `${of}-${uid}`, of },
      },
      status: {
        helmChartVersion: "0.1.0-rc.1",
        conditions: [{ type: "Ready", status: "True", reason: "Available", message: "" }],
      },
    },
  }) as unknown as Composition;

function rolloutsOf(names: readonly string[], refused: string) {
  const charts = names.map(served);
  const [asked, lines]: [string[], string[]] = [[], []];
  const definition = (name: string) => ({ metadata: { name, namespace: "platform" } }) as CompositionDefinition;
  const client = {
    get: async (path: string) =>
      path.endsWith(`/${refused}`) ? Promise.reject(new Error("not now")) : Promise.resolve(null),
  };
  const rollouts = new Rollouts({
    client: client as unknown as KubeClient,
    log: pino({ level: "warn" }, { write: (line: string) => lines.push(line) }),
    nowSeconds: () => NOW,
    records: { resume: () => Promise.resolve(null), write: () => Promise.resolve() },
    charts: () => charts,
    definition: ({ name }) => definition(name),
    list: () => names.flatMap((name) => [object(`${name}-1`, name), object(`${name}-2`, name)]),
    servedFor: ({ metadata }: Resource) =>
      charts.find(({ definition: { name } }) => name === metadata.labels?.["of"]) ?? null,
    reconcileNow: (key) => void asked.push(key),
  });
  for (const chart of charts)
    for (const number of [1, 2]) {
      const { name } = chart.definition;
      rollouts.note(object(`${name}-${String(number)}`, name).object, chart, INSTALLED);
    }
  return { rollouts, asked, lines, charts };
}

it("continues with the other charts if the status of one's definition cannot be written", async () => {
  const { rollouts, asked, lines } = rolloutsOf(["a", "b"], "a");
  await rollouts.look();
  expect(asked).toEqual(["shop/a-1", "shop/b-1"]);
  expect(lines.join("")).toContain('"definition":"platform/a","detail":"not now"');
  expect(lines).toHaveLength(1);
});

it("names the installed version as the chart has it", async () => {
  const { rollouts, charts } = rolloutsOf(["a"], "");
  await rollouts.look();
  const [chart] = charts;
  if (chart === undefined) throw new Error("no chart");
  expect(rollouts.turnOf(object("a-2", "a").object, chart, INSTALLED)).toMatch(
    /^chart 0\.1\.0-rc\.1 stays until its turn for 0\.2\.0/,
  );
  expect(rollouts.turnOf(object("a-1", "a").object, chart, INSTALLED)).toBe(true);
});
