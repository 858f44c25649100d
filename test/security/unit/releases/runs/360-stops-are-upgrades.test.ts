import { describe, expect, it } from "vitest";
import type { CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import type { RecordedRevision } from "../../../../../src/composition/record/release-record.ts";
import { assertUpgradable } from "../../../../../src/composition/release/recorded/assert-upgradable.ts";
import type { Resource } from "../../../../../src/composition/types.ts";

const API = "ec2.services.k8s.aws/v1alpha1";
const GLOBAL = {
  ...{ compositionApiVersion: "composition.krateo.io/v0-2-0", compositionGroup: "composition.krateo.io" },
  ...{ compositionId: "u", compositionInstalledVersion: "v0-2-0", compositionKind: "VmTemplate" },
  ...{ compositionName: "web", compositionNamespace: "demo", compositionResource: "vmtemplates" },
};
const manifestOf = (name: string) => `---\napiVersion: ${API}\nkind: Instance\nmetadata:\n  name: ${name}\nspec: {}\n`;
const revisionOf = (status: string, name: string): RecordedRevision =>
  ({
    ...{ revision: 1, status },
    release: {
      config: { vmName: name, global: GLOBAL },
      manifest: manifestOf(name),
    },
  }) as unknown as RecordedRevision;
const object: Resource = {
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
  ...{ metadata: { name: "web", namespace: "demo", uid: "u" }, spec: { vmName: "own" } },
};

/** Asks whether the release can be upgraded, of which these machines are still there. */
function ask(there: readonly string[], formerCount: number, asInstalled: boolean): Promise<void> {
  const revisions = [revisionOf("failed", "other"), revisionOf("deployed", "own")];
  const former = Array.from({ length: formerCount }, (_, index) => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: `c-${String(index)}` } },
  }));
  const live = (path: string) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return there.includes(name)
      ? { apiVersion: API, kind: "Instance", metadata: { name }, status: { instanceID: "i" } }
      : null;
  };
  const context = {
    records: { read: () => Promise.resolve({ revisions, former }) },
    discovery: { find: () => Promise.resolve({ namespaced: true, plural: "instances" }) },
    tenant: () => ({ get: (path: string) => Promise.resolve(live(path)) }),
  } as unknown as CompositionContext;
  const upgrade = { context, composition: { object }, namespace: "demo", name: "web-1" };
  return assertUpgradable({ ...upgrade, ...(asInstalled ? { asInstalled } : {}) }, revisions);
}

describe("360: an upgrade that only stops the machine which is there", () => {
  it.each([
    ["a machine of another name that a failed revision made", ["own", "other"], 0, "REL_MACHINE_NAME"],
    ["a thousand resources of former revisions", ["own"], 1000, "REL_FORMER"],
  ])("is not held up by %s", async (_, there, former, code) => {
    await expect(ask(there, former, false)).rejects.toThrow(expect.objectContaining({ code }) as Error);
    await expect(ask(there, former, true)).resolves.toBeUndefined();
  });

  it("is none where its machine is gone: it would make one", async () => {
    await expect(ask(["other"], 0, true)).rejects.toThrow(
      expect.objectContaining({ code: "REL_MACHINE_NAME" }) as Error,
    );
  });
});
