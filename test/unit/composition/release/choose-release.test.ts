import { describe, expect, it } from "vitest";
import { buildValues } from "../../../../src/composition/release/build-values.ts";
import { chooseRelease } from "../../../../src/composition/release/choose-release.ts";
import type { Judged } from "../../../../src/composition/release/find-release.ts";
import { claimOf, ownerIn } from "../../../../src/composition/record/release-owner.ts";
import type { Resource } from "../../../../src/composition/types.ts";

const UID = "a4165974-56b3-4aac-b98f-f5294acf1a1d";
const composition = (name = "vmp", uid = UID, label?: string): Resource => ({
  apiVersion: "composition.krateo.io/v1-2-0",
  kind: "VmTemplate",
  metadata: {
    ...{ name, namespace: "greenops", uid },
    ...(label === undefined ? {} : { labels: { "krateo.io/release-name": label } }),
  },
});
const served = { kind: "VmTemplate", plural: "vmtemplates", version: "v1-2-0" };
const ownerOf = (of: Resource) => ownerIn(buildValues({ composition: of, served, krateoNamespace: "krateo" }));

describe("the owner of a release", () => {
  it.each([
    ["its own, by the uid in its values", composition(), "own"],
    ["its own, whatever the object is called in them", composition("other"), "own"],
    ["that of the object it was before it was restored", composition("vmp", "old"), "namesake"],
    ["another object's of the same name and another kind", { ...composition("vmp", "old"), kind: "X" }, "foreign"],
    ["another object's", composition("away", "old"), "foreign"],
  ] as const)("%s", (_, owner, claim) => {
    const kind = owner.kind;
    const values = buildValues({ composition: owner, served: { ...served, kind }, krateoNamespace: "krateo" });
    expect(claimOf(ownerIn(values), composition())).toBe(claim);
  });

  it.each([{}, { global: "x" }, { global: { compositionId: "" } }, { global: { compositionName: "vmp" } }])(
    "nobody's of ours where its values name no composition: %j",
    (values) => {
      expect(claimOf(ownerIn(values), composition())).toBe("foreign");
    },
  );
});

describe("the name of a release", () => {
  const free: Judged = { claim: "free", owner: null };
  const chosen = (label: string | undefined, labelled: Judged | null, own: string | null = null) =>
    chooseRelease(composition("vmp", UID, label), { own, labelled });

  it.each<[string, string | undefined, Judged | null, string | null, string]>([
    ["is derived from name and uid for a new object", undefined, null, null, "vmp-a4165974"],
    ["is the one that Krateo gave and did not install yet", "vmp-v85b9fc8", free, null, "vmp-v85b9fc8"],
    ["is the one that Krateo gave of old", "vmp", free, null, "vmp"],
    ["is the installed one, with a label or without", "vmp-v85b9fc8", null, "vmp-v85b9fc8", "vmp-v85b9fc8"],
    ["is the installed one where the label is gone", undefined, null, "vmp-v85b9fc8", "vmp-v85b9fc8"],
  ])("%s", (_, ...[label, labelled, own, name]) => {
    expect(chosen(label, labelled, own)).toEqual({ name, refused: null });
  });

  it.each<[string, string, Judged | null, string | null, string, string]>([
    ["is free and no name of Krateo's for the object", "renamed", free, null, "vmp-a4165974", "REL_RELEASE_LABEL"],
    ["was changed after the installation", "renamed", free, "vmp-v85b9fc8", "vmp-v85b9fc8", "REL_RELEASE_LABEL"],
    ["was changed while the controller ran", "renamed", null, "vmp-1", "vmp-1", "REL_RELEASE_LABEL"],
    [
      "names another object's release",
      "away-1",
      { claim: "foreign", owner: ownerOf(composition("away", "old")) },
      null,
      "vmp-a4165974",
      "REL_RELEASE_TAKEN",
    ],
    [
      "names somebody's release",
      "shopdb",
      { claim: "foreign", owner: null },
      null,
      "vmp-a4165974",
      "REL_RELEASE_TAKEN",
    ],
  ])("is not the label's where that %s", (_, ...[label, labelled, own, name, code]) => {
    expect(chosen(label, labelled, own)).toMatchObject({ name, refused: { code } });
  });

  it("names the owner of a foreign release, and the remedy", () => {
    const owner = ownerOf(composition("away", "old"));
    expect(chosen("away-1", { claim: "foreign", owner }).refused?.message).toBe(
      "the label krateo.io/release-name was away-1, but Helm release away-1 belongs to VmTemplate greenops/away; " +
        "this object's release is vmp-a4165974; nothing to do: the controller corrected the label; remove it from copies of an object [REL_RELEASE_TAKEN]",
    );
  });
});
