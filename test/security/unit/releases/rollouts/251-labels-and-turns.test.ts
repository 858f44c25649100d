import { pino } from "pino";
import { expect, it } from "vitest";
import { chooseChart } from "../../../../../src/composition/chart/choose-chart.ts";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { FINALIZER, LABEL, RELEASE_LABEL } from "../../../../../src/composition/keys.ts";
import type { RecordedRevision } from "../../../../../src/composition/record/release-record.ts";
import { takeTurn } from "../../../../../src/composition/rollout/take-turn.ts";
import type { Resource, ServedChart } from "../../../../../src/composition/types.ts";

const served = (version: string, definition = "vm"): ServedChart => ({
  ...{ definition: { namespace: "platform", name: definition }, version: `v${version.replaceAll(".", "-")}` },
  ...{ kind: "VmTemplate", plural: "vmtemplates", url: "oci://charts.example/vm" },
  chart: { directory: "/charts", name: "vm", version, alsoServes: [], digest: version, schema: {} },
});
const [NEW, OLD] = [served("0.2.0"), served("0.1.0")];
const RELEASE = "web-first";
const FOREIGN = { "krateo.io/composition-version": "v9", "krateo.io/composition-definition-name": "nobody" };

const revision = (version: string, status: RecordedRevision["status"]): RecordedRevision => ({
  ...{ revision: 1, status, createdAt: 0, secret: "", copy: "" },
  labels: { [RELEASE_LABEL.composition]: "first" },
  release: {
    chart: { metadata: { name: "vm", version } },
    config: { cpu: 1, global: { compositionInstalledVersion: served(version).version } },
  },
});

interface Given {
  revisions?: RecordedRevision[];
  charts?: ServedChart[];
  kept?: ServedChart | null | Error;
  mayChange?: boolean;
}

/** The version of the chart that an object gets, null for none, and what it waits for. */
async function turnOf(metadata: Partial<Resource["metadata"]>, given: Given = {}) {
  const { revisions = [revision("0.1.0", "deployed")], charts = [NEW], kept = OLD, mayChange = false } = given;
  const context = {
    ...{ releases: new Map(), log: pino({ level: "silent" }) },
    servedFor: (object: Resource) => chooseChart(object, charts),
    records: {
      find: () => Promise.resolve(RELEASE),
      read: (_: string, release: string) => Promise.resolve(release === RELEASE ? { revisions } : null),
    },
    rollouts: { note: () => undefined, turnOf: () => "it waits", admitChanged: () => mayChange },
    keptChart: () => (kept instanceof Error ? Promise.reject(kept) : Promise.resolve(kept)),
  } as unknown as CompositionContext;
  const about = { name: "web", namespace: "shop", uid: "first", ...metadata };
  const object = { apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: about, spec: { cpu: 2 } };
  const turn = await takeTurn(context, { object, key: "", path: "" } as unknown as Composition, NEW);
  return { version: turn.served?.chart.version ?? null, waits: turn.waits };
}

const own = (labels: Record<string, string>, finalizers = [FINALIZER]) => ({ labels, finalizers });

it("an object waits with its installed chart whatever its labels and finalizers say", async () => {
  const waiting = { version: "0.1.0", waits: expect.stringContaining("it waits") as string };
  for (const [about, metadata] of Object.entries({
    "as it was installed": own({ [LABEL.version]: "v0-1-0", [LABEL.releaseName]: RELEASE }),
    "the label of the new version": own({ [LABEL.version]: "v0-2-0", [LABEL.releaseName]: RELEASE }),
    "labels of a chart that nobody serves": own({ ...FOREIGN, [LABEL.releaseName]: RELEASE }),
    "another release": own({ [LABEL.version]: "v0-1-0", [LABEL.releaseName]: "other" }),
    "no label of a release": own({ [LABEL.version]: "v0-2-0" }),
    "neither labels nor finalizer": own({}, []),
  }))
    expect(await turnOf(metadata), about).toEqual(waiting);
});

it("a failed upgrade to the new version is not taken for one that is installed", async () => {
  const revisions = [revision("0.2.0", "failed"), revision("0.1.0", "deployed")];
  expect(await turnOf(own({ [LABEL.version]: "v0-2-0" }), { revisions })).toMatchObject({ version: "0.1.0" });
});

it("a new object, and one of a version that another definition serves, do not wait", async () => {
  const now = { version: "0.2.0", waits: null };
  expect(await turnOf(own({}, []), { revisions: [] })).toEqual(now);
  expect(await turnOf(own({}), { revisions: [revision("0.1.0", "failed")] })).toEqual(now);
  expect(await turnOf(own({}), { charts: [NEW, served("0.1.0", "earlier")] })).toEqual(now);
});

it("an object whose chart is not kept waits as it is, unless its user changed it and the rollout goes on", async () => {
  for (const kept of [null, new Error("the registry does not answer")]) {
    expect(await turnOf(own({}), { kept })).toEqual({
      ...{ version: null, waits: expect.stringContaining("chart 0.1.0 is not kept") as string },
    });
    expect(await turnOf(own({}), { kept, mayChange: true })).toEqual({ version: "0.2.0", waits: null });
  }
});
