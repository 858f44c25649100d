import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { shortDigest } from "../../../../../src/composition/release/build-values.ts";
import { ApiError } from "../../../../../src/cluster/client/api-error.ts";
import { afterFailure } from "../../../../../src/composition/reconcile/after-failure.ts";
import type { FollowedRun } from "../../../../../src/composition/run/follow/follow-run.ts";
import { stopInstalled } from "../../../../../src/composition/run/end/stop-installed.ts";
import type { Resource, ServedChart } from "../../../../../src/composition/types.ts";
import { LandfallError } from "../../../../../src/errors.ts";

const RELEASE = "web-1";
const served = {
  ...{ kind: "VmTemplate", plural: "vmtemplates", version: "v0-2-0" },
  chart: { name: "vmtemplate", version: "0.2.0", digest: "sha256:c", schema: null },
} as unknown as ServedChart;
const SPEC = { cpu: 2, memory: 4, provider: "elemento", duration: "1h", whenDone: "stop" };
const GLOBAL = {
  ...{ compositionApiVersion: "composition.krateo.io/v0-2-0", compositionGroup: "composition.krateo.io" },
  ...{ compositionId: "u", compositionInstalledVersion: "v0-2-0", compositionKind: "VmTemplate" },
  ...{ compositionName: "web", compositionNamespace: "demo", compositionResource: "vmtemplates" },
  ...{ gracefullyPaused: "true", krateoNamespace: "krateo-system" },
};
const report = { url: "https://reports/v1/runs/u", token: "of the lost key" };

const objectOf = (spec: object): Resource => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
  metadata: {
    ...{ uid: "u", namespace: "demo", name: "web", labels: { "krateo.io/release-name": RELEASE } },
    annotations: { "krateo.io/gracefully-paused": "true" },
  },
  spec: { ...spec },
});
const compositionOf = (object: Resource): Composition => ({
  ...{ key: "vmtemplates/demo/web", object },
  path: apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/demo/vmtemplates/web`,
});

/** Stops an object of which these revisions are recorded; the values that its release would be brought to, as digests. */
async function stopped(object: Resource, revisions: object[], expected: Record<string, unknown> = {}) {
  const { chart } = served;
  const inputs = shortDigest([expected, chart.digest, chart.version]);
  const known = { name: RELEASE, id: "u", inputs, checkedAt: 100, drifts: new Map(), objects: [] };
  const context = {
    keys: null,
    records: { read: (_: string, name: string) => Promise.resolve(name === RELEASE ? { revisions } : null) },
    ...{
      releases: new Map([["u", known]]),
      nowSeconds: () => 100,
      resyncSeconds: 180,
      krateoNamespace: "krateo-system",
    },
    withHelm: () => Promise.reject(new Error("helm is called with other values")),
  } as unknown as CompositionContext;
  return stopInstalled(context, compositionOf(object), served);
}

const deployed = (config: object) => ({ status: "deployed", release: { config } });

describe("50: the machine of a run that is over, whose object is not accepted", () => {
  it("is stopped as it is installed, whatever the object asks by now", async () => {
    const revisions = [
      { status: "failed", release: { config: { cpu: 64, global: GLOBAL } } },
      deployed({ ...SPEC, global: { ...GLOBAL, report } }),
    ];
    const expected = { ...SPEC, global: { ...GLOBAL, powerState: "off", report } };
    expect(await stopped(objectOf({ ...SPEC, cpu: 32, userData: "x" }), revisions, expected)).toBe(true);
  });

  it("is not touched by records of another object, or without a record", async () => {
    expect(await stopped(objectOf(SPEC), [])).toBe(false);
    const foreign = deployed({ ...SPEC, global: { ...GLOBAL, compositionId: "v", compositionName: "other" } });
    expect(await stopped(objectOf(SPEC), [foreign])).toBe(false);
    expect(await stopped(objectOf(SPEC), [deployed({ ...SPEC })])).toBe(false);
  });
});

describe("50: the end of a run whose object was not installed", () => {
  const about = { kind: "VmTemplate", name: "web" };
  /** Whether Landfall's record of what is installed was asked, to stop that. */
  async function asksForRecord(thrown: unknown, step: "stop" | "run" = "stop"): Promise<boolean> {
    let asked = false;
    const context = {
      records: {
        read: () => {
          asked = true;
          return Promise.resolve(null);
        },
      },
      ...{ releases: new Map(), nowSeconds: () => 100, record: () => undefined },
      client: { patch: () => Promise.resolve(null) },
    } as unknown as CompositionContext;
    const run = { step: { do: step } } as unknown as FollowedRun;
    await afterFailure(context, compositionOf(objectOf(SPEC)), { served, run, thrown });
    return asked;
  }

  it.each([
    new LandfallError("REL_KEY_LOST", { ...about, key: "k" }),
    new LandfallError("REL_SPEC_CHANGED", { ...about, detail: "" }),
    new LandfallError("REL_HELM", { action: "upgrade", release: "r", detail: "" }),
  ])("stops what is installed: %s", async (thrown) => {
    expect(await asksForRecord(thrown)).toBe(true);
    expect(await asksForRecord(thrown, "run")).toBe(false);
  });

  it("stops nothing for a fault without a code, or while the API server is away", async () => {
    expect(await asksForRecord(new Error("REL_KEY_LOST"))).toBe(false);
    expect(await asksForRecord(new ApiError(0, { action: "GET", detail: "" }))).toBe(false);
  });
});
