import { describe, expect, it } from "vitest";
import type { CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { FINALIZER, RELEASE_LABEL } from "../../../../../src/composition/keys.ts";
import { settleGone } from "../../../../../src/composition/gone/settle-gone.ts";
import type { GoneComposition } from "../../../../../src/composition/gone/settle-gone.ts";
import type { Retained } from "../../../../../src/model/runs/retained.ts";
import { NOW } from "../../../../support/admission.ts";
import { memoryRemovals } from "../../../../support/composition/memory-removals.ts";

const RELEASE = "web-12345678";
const object = {
  ...{ apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate" },
  metadata: { namespace: "demo", name: "web", uid: "one" },
  spec: { cpu: 2, memory: 4 },
};

interface Case {
  release?: string | null;
  /** The uid of what has its name by now. */
  present?: string | null;
  metadata?: object;
  isFinal?: boolean;
}

/** What is recorded when the object is gone, and how often helm was called. */
async function settled({ release = RELEASE, present = null, metadata = {}, isFinal = true }: Case = {}) {
  const all: Retained[] = [];
  const counts = { uninstalled: 0 };
  const global = { compositionId: "one", compositionKind: "VmTemplate" };
  const config = { cpu: 8, memory: 4, provider: "gcp", global };
  const labels = { [RELEASE_LABEL.composition]: "one" };
  const parts = {
    client: { get: () => Promise.resolve(present && { ...object, metadata: { ...object.metadata, uid: present } }) },
    records: {
      mark: () => Promise.resolve(null),
      find: (_: string, uid: string) => Promise.resolve(uid === "one" ? release : null),
      read: () => Promise.resolve({ revisions: [{ labels, status: "deployed", release: { config } }] }),
    },
    removals: memoryRemovals(),
    retentions: { record: (retained: Retained) => Promise.resolve(void all.push(retained)) },
    ...{ nowSeconds: () => NOW, releases: new Map(), uninstalled: new Map(), retrying: new Map() },
    ...{ clientIn: () => Promise.resolve(), runs: { read: () => Promise.resolve(null) } },
    metrics: { helm: () => undefined },
    withHelm: () => Promise.resolve({ code: (counts.uninstalled += 1) - 1 }),
    ...{ looks: { forget: () => undefined }, managed: { release: () => undefined } },
    log: { warn: () => undefined, info: () => undefined },
  };
  const given = { ...object, metadata: { ...object.metadata, ...metadata } };
  const gone = { composition: { key: "k", path: "/p", object: given }, isFinal };
  await settleGone(parts as unknown as CompositionContext, gone as unknown as GoneComposition);
  return { all, ...counts };
}

const recorded = async (given: Case) => (await settled(given)).all;

describe("13: an object that is gone without its finalizer", () => {
  it("leaves a record with the size that was installed", async () => {
    const [left, ...more] = await recorded({});
    expect(more).toEqual([]);
    expect(left).toMatchObject({ uid: "one", release: RELEASE, why: "orphan", workload: { name: "web", vcpus: 8 } });
  });

  it("leaves one if another object has its name by now", async () => {
    expect(await recorded({ present: "two" })).toHaveLength(1);
  });

  it("leaves none if its release was uninstalled, or if it is still there", async () => {
    expect(await recorded({ release: null })).toEqual([]);
    expect(await recorded({ present: "one" })).toEqual([]);
  });

  it("is uninstalled, and counts no more, if it was deleted while the finalizer was being added", async () => {
    expect(await settled({ metadata: { finalizers: [FINALIZER] } })).toEqual({ all: [], uninstalled: 1 });
  });

  it.each([
    ["nobody saw how it went", { metadata: { finalizers: [FINALIZER] }, isFinal: false }],
    ["it was being deleted", { metadata: { finalizers: [FINALIZER], deletionTimestamp: "2026-11-22T00:00:00Z" } }],
    ["it had no finalizer", { metadata: { finalizers: ["example.dev/other"] } }],
  ])("runs on, and counts, if %s", async (_, given) => {
    expect(await settled(given)).toMatchObject({ all: [{ uid: "one", why: "orphan" }], uninstalled: 0 });
  });
});
