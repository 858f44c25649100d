import { describe, expect, it } from "vitest";
import type { Composition, CompositionContext } from "../../../../src/composition/context.ts";
import { recordGone } from "../../../../src/composition/retain/record-gone.ts";
import type { Retained } from "../../../../src/model/retained.ts";
import { NOW } from "../../../support/admission.ts";

const RELEASE = "web-12345678";
const object = {
  ...{ apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate" },
  metadata: { namespace: "demo", name: "web", uid: "one" },
  spec: { cpu: 2, memory: 4 },
};

/** What is recorded when the object is gone: `present` is the uid of what has its name by now. */
async function recorded({ release = RELEASE as string | null, present = null as string | null }) {
  const all: Retained[] = [];
  const config = { cpu: 8, memory: 4, provider: "gcp" };
  const parts = {
    client: { get: () => Promise.resolve(present && { ...object, metadata: { ...object.metadata, uid: present } }) },
    records: {
      find: (_: string, uid: string) => Promise.resolve(uid === "one" ? release : null),
      read: () => Promise.resolve({ revisions: [{ release: { config } }] }),
    },
    retentions: { record: (retained: Retained) => Promise.resolve(void all.push(retained)) },
    nowSeconds: () => NOW,
    log: { warn: () => undefined },
  };
  await recordGone(parts as unknown as CompositionContext, { key: "k", path: "/p", object } as unknown as Composition);
  return all;
}

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
});
