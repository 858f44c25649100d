import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import type { CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { FINALIZER, LABEL, RELEASE_LABEL } from "../../../../../src/composition/keys.ts";
import { removeComposition } from "../../../../../src/composition/remove/remove-composition.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import { DELETION_POLICY } from "../../../../../src/model/names.ts";
import { memoryRemovals } from "../../../../support/composition/memory-removals.ts";

const RELEASE = "web-12345678";
const OTHER = "tenant.example/keep";

interface Given {
  finalizers: string[];
  isRecorded?: boolean;
  annotations?: Record<string, string>;
}

/** What is done about an object that is being deleted: calls of helm, patches, and runs and releases that are recorded. */
async function removed({ finalizers, isRecorded = true, annotations = {} }: Given) {
  const done = { helm: [] as string[], patches: [] as unknown[], runs: [] as string[], retained: [] as unknown[] };
  const global = { compositionId: "u", compositionKind: "VmTemplate" };
  const revision = {
    ...{ labels: { [RELEASE_LABEL.composition]: "u" }, status: "deployed" },
    release: { config: { cpu: 8, memory: 4, provider: "gcp", global } },
  };
  const isPresent = () => isRecorded && done.helm.length === 0;
  const plan = { whenDone: "delete", maxLifetime: 60 };
  const context = {
    client: { patch: (_path: string, _how: string, body: unknown) => Promise.resolve(void done.patches.push(body)) },
    ...{
      clientIn: () => Promise.resolve(),
      tenant: () => ({ get: () => Promise.resolve(null), create: () => Promise.resolve({ status: {} }) }),
    },
    discovery: { group: () => Promise.resolve([]), all: () => Promise.resolve([]) },
    records: {
      find: (_: string, uid: string) => Promise.resolve(uid === "u" && isPresent() ? RELEASE : null),
      read: (_: string, name: string) =>
        Promise.resolve(name === RELEASE && isPresent() ? { revisions: [revision] } : null),
      running: () => Promise.resolve([]),
      mark: () => Promise.resolve(null),
      change: () => Promise.resolve(),
    },
    removals: memoryRemovals(),
    retentions: { recordIfRoom: (one: unknown) => Promise.resolve(void done.retained.push(one)) },
    runs: {
      read: () => Promise.resolve(DELETION_POLICY in annotations ? null : { uid: "u", plan }),
      remove: (uid: string) => Promise.resolve(void done.runs.push(uid)),
    },
    ...{ nowSeconds: () => 1_800_000_000, graceSeconds: 60, metrics: { helm: () => undefined } },
    withHelm: (_: string, work: (helm: unknown) => unknown) => {
      void work;
      done.helm.push("uninstall");
      return Promise.resolve({ code: 0, stderr: "" });
    },
    ...{ releases: new Map(), uninstalled: new Map(), retrying: new Map() },
    ...{ looks: { forget: () => undefined }, managed: { release: () => undefined }, record: () => undefined },
    log: { warn: () => undefined, info: () => undefined },
  } as unknown as CompositionContext;
  const metadata = { namespace: "demo", name: "web", uid: "u", finalizers, annotations, deletionTimestamp: "x" };
  const object: Resource = {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec: { cpu: 8, memory: 4 } },
    metadata: { ...metadata, labels: { [LABEL.releaseName]: RELEASE } },
  };
  const path = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/demo/vmtemplates/web`;
  await removeComposition(context, { key: "vmtemplates/demo/web", path, object });
  return done;
}

describe("212: an object that is being deleted and kept by another finalizer", () => {
  it("loses its release, although Landfall's finalizer was removed", async () => {
    expect(await removed({ finalizers: [OTHER] })).toEqual({
      helm: ["uninstall"],
      patches: [],
      runs: ["u"],
      retained: [],
    });
  });

  it("loses it and Landfall's finalizer, and keeps the other one", async () => {
    const { helm, patches } = await removed({ finalizers: [OTHER, FINALIZER] });
    expect(helm).toEqual(["uninstall"]);
    expect(patches).toMatchObject([{ metadata: { finalizers: [OTHER] } }]);
  });

  it("is left alone once nothing of it is recorded", async () => {
    const nothing = { helm: [], patches: [], runs: [], retained: [] };
    expect(await removed({ finalizers: [OTHER], isRecorded: false })).toEqual(nothing);
  });

  it("leaves its release, recorded, if it was to be orphaned and has no end", async () => {
    const { helm, retained } = await removed({ finalizers: [OTHER], annotations: { [DELETION_POLICY]: "orphan" } });
    expect([helm, retained]).toMatchObject([[], [{ uid: "u", why: "orphan" }]]);
  });
});
