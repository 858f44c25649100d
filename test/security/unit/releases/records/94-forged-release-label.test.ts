import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import type { CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { FINALIZER, LABEL, RELEASE_LABEL } from "../../../../../src/composition/keys.ts";
import { findRelease } from "../../../../../src/composition/release/find-release.ts";

/** A Secret in the object's own namespace that says: the release `fake` is that of the object `one`. */
const forged = {
  metadata: {
    name: "sh.helm.release.v1.fake.v1",
    labels: { owner: "helm", name: "fake", version: "1", status: "deployed", [RELEASE_LABEL.composition]: "one" },
  },
};

/** The release of an object that its tenant labelled, as a controller finds it that has just started. */
async function found(label: string, recorded: string | null) {
  const values = { global: { compositionId: "one", compositionKind: "VmTemplate" } };
  const record = { revisions: [{ labels: { [RELEASE_LABEL.composition]: "one" }, release: { config: values } }] };
  const list = (labels = "") => ({ items: labels.includes("name=fake") ? [forged] : [], metadata: {} });
  const context = {
    keys: null,
    releases: new Map(),
    records: {
      find: () => Promise.resolve(recorded),
      read: (_: string, release: string) => Promise.resolve(release === recorded ? record : null),
    },
    tenant: () => ({
      get: (_: string, { query }: { query?: { labelSelector?: string } } = {}) =>
        Promise.resolve(list(query?.labelSelector)),
    }),
  } as unknown as CompositionContext;
  const labels = label === "" ? {} : { [LABEL.releaseName]: label };
  const metadata = { uid: "one", namespace: "demo", name: "web", labels, finalizers: [FINALIZER] };
  const object = { apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata };
  return findRelease(context, { key: "vmtemplates/demo/web", path: apiPath`/x`, object });
}

describe("94: a label and a copy that name another release than Landfall's record", () => {
  it.each(["fake", "other", "web-1", ""])("do not hide what is installed: label %j", async (label) => {
    expect((await found(label, "web-1")).own).toBe("web-1");
  });

  it("count as far as nothing is recorded: what they name was never installed by Landfall, and helm is not called for it", async () => {
    expect((await found("fake", null)).own).toBe("fake");
  });
});
