import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { COMPOSITION_FINALIZER, COMPOSITION_LABEL } from "../../../../src/model/names.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, create, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const LABELS = {
  [COMPOSITION_LABEL.version]: "v0-1-0",
  [COMPOSITION_LABEL.releaseName]: "web-8b0b1e5a",
  [COMPOSITION_LABEL.definitionName]: "vm-template",
};
const MANIFEST = vm({ cpu: 2, memory: 4, provider: "gcp" }, { name: "web", namespace: "demo" });

const admitted = (before: WorkloadObject, after: WorkloadObject): WorkloadObject =>
  patched(after, admit(update(before, after), context(policy)));

const decided = patched(MANIFEST, admit(create(MANIFEST), context(policy)));
const installed: WorkloadObject = {
  ...decided,
  metadata: {
    ...decided.metadata,
    labels: { ...decided.metadata.labels, ...LABELS, "krateo.io/portal": "x" },
    finalizers: ["example.com/other", COMPOSITION_FINALIZER],
  },
};

const withMetadata = (metadata: Partial<WorkloadObject["metadata"]>): WorkloadObject => ({
  ...installed,
  metadata: { ...installed.metadata, ...metadata },
});

describe("an installed object that is replaced by its manifest", () => {
  it("keeps what composition wrote, and nothing else of its metadata", () => {
    const { metadata, spec } = admitted(installed, MANIFEST);
    expect(metadata.labels).toEqual({ ...MANIFEST.metadata.labels, ...LABELS });
    expect(metadata.finalizers).toEqual([COMPOSITION_FINALIZER]);
    expect(spec).toEqual(installed.spec);
  });

  it("gets one lost label back, without a new decision", () => {
    const { [COMPOSITION_LABEL.releaseName]: _, ...labels } = LABELS;
    const outcome = admit(update(installed, withMetadata({ labels })), context(policy));
    const path = `/metadata/labels/${COMPOSITION_LABEL.releaseName.replace("/", "~1")}`;
    expect(outcome.allowed && outcome.patch).toEqual([{ op: "add", path, value: "web-8b0b1e5a" }]);
  });

  it("gets the finalizer back next to those of others", () => {
    expect(admitted(installed, withMetadata({ finalizers: ["a.example/b"] })).metadata.finalizers).toEqual([
      "a.example/b",
      COMPOSITION_FINALIZER,
    ]);
  });

  it("can move to another version of its definition", () => {
    const labels = { ...LABELS, [COMPOSITION_LABEL.version]: "v0-2-0" };
    expect(admitted(installed, withMetadata({ labels })).metadata.labels).toEqual(labels);
  });

  it("is not patched again", () => {
    const again = admit(update(installed, admitted(installed, MANIFEST)), context(policy));
    expect(again).toMatchObject({ allowed: true, patch: [] });
  });
});

it("gives an object back nothing while it is being deleted", () => {
  const deletionTimestamp = "2026-11-22T10:00:00Z";
  const before = withMetadata({ deletionTimestamp });
  const after = withMetadata({ deletionTimestamp, finalizers: [], labels: {} });
  expect(admit(update(before, after), context(policy))).toMatchObject({ allowed: true, patch: [] });
});

it("gives an object that was never installed nothing", () => {
  expect(admitted(decided, MANIFEST).metadata).toEqual(decided.metadata);
});
