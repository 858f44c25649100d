import { expect, it } from "vitest";
import { chooseChart } from "../../../../../src/composition/chart/choose-chart.ts";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { ownChart } from "../../../../../src/composition/chart/own-chart.ts";
import type { Resource, ServedChart } from "../../../../../src/composition/types.ts";

const served = (version: string, name = "vmtemplate"): ServedChart =>
  ({ kind: "VmTemplate", version, definition: { name, namespace: "landfall-system" } }) as ServedChart;

const FOREIGN = { "krateo.io/composition-version": "v9", "krateo.io/composition-definition-name": "nobody" };

/** The version of the chart that is chosen, and the Events that say so. */
async function choose(
  labels: Record<string, string>,
  recorded: string | null,
  charts = [served("v0-2-0"), served("v0-1-0")],
) {
  const events: string[] = [];
  const global = { compositionInstalledVersion: recorded };
  const context = {
    servedFor: (object: Resource) => chooseChart(object, charts),
    records: {
      find: (_namespace: string, uid: string) => Promise.resolve(recorded === null || uid !== "first" ? null : "web-1"),
      read: () => Promise.resolve({ revisions: [{ release: { config: { global } } }] }),
    },
    record: (_object: Resource, { reason }: { reason: string }) => events.push(reason),
  } as unknown as CompositionContext;
  const metadata = { name: "web", namespace: "demo", uid: "first", labels };
  const object = { apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate", metadata };
  const chart = await ownChart(context, { object, key: "", path: "" } as unknown as Composition);
  return { version: chart?.version ?? null, events };
}

it("labels that name a foreign chart do not stop the controller: the release's own chart is used, and an Event says so", async () => {
  const said = ["REL_CHART_LABELS"];
  expect(await choose(FOREIGN, "v0-1-0")).toEqual({ version: "v0-1-0", events: said });
  expect(await choose({ "krateo.io/composition-version": "v9" }, "v0-1-0")).toEqual({
    version: "v0-1-0",
    events: said,
  });
  expect(await choose(FOREIGN, "v0-0-9")).toEqual({ version: "v0-2-0", events: said });
});

it("an object without a release is still not ours", async () => {
  expect(await choose(FOREIGN, null)).toEqual({ version: null, events: [] });
  expect(await choose(FOREIGN, "v0-1-0", [])).toEqual({ version: null, events: [] });
});

it("labels that name a served chart are followed", async () => {
  expect(await choose({ "krateo.io/composition-version": "v0-2-0" }, "v0-1-0")).toEqual({
    version: "v0-2-0",
    events: [],
  });
});
