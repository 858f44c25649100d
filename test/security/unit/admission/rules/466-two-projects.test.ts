// 466: a name of Google Cloud with two projects was that of its first one for Landfall, and that of its second one for Config Connector. Others ended the
// decision with an error.
import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { context, create, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const namespace = { name: "demo", labels: {}, annotations: { "cnrm.cloud.google.com/project-id": "mine" } };

function denialOf(spec: object) {
  const object = vm({ cpu: 2, memory: 4, provider: "gcp", schedulingLocation: "europe-west8", ...spec });
  const outcome = admit(create(object), { ...context(policy), namespace });
  return outcome.allowed ? null : { codes: outcome.codes, message: outcome.message };
}

const ofNetwork = (network: string) => denialOf({ network: { existing: { network, subnet: "a" } } });

describe("466: a name of Google Cloud", () => {
  it.each([
    "projects/x",
    "global/images/projects/a/global/images/b",
    "projects/debian-cloud/projects/other-team/global/images/backup",
    "global/images/projects/windows-sql-cloud/global/images/family/sql-ent-2022-win-2022",
    "debian-cloud/projects/windows-sql-cloud/global/images/family/sql-ent-2022-win-2022",
  ])("for an image does not name two projects: %s", (image) => {
    for (const maxPrice of [undefined, "10"]) {
      const denial = denialOf(maxPrice === undefined ? { image } : { image, maxPrice });
      expect(denial?.codes).toContain("POL_GOOGLE_NAME");
      expect(denial?.message).toContain(`spec.image ${image} is not a name of Google Cloud with one project`);
      expect(denial?.message).toMatch(/: write .*projects\/PROJECT\/global\/images\/NAME/);
    }
  });

  it.each([
    "projects/mine/projects/other/global/networks/x",
    "projects/mine/global/networks/x/projects/o/global/networks/y",
  ])("for a network does not name two projects: %s", (id) => {
    expect(ofNetwork(id)?.codes).toEqual(["POL_GOOGLE_NAME"]);
    expect(ofNetwork(id)?.message).toContain("projects/PROJECT/global/networks/NAME");
  });

  it.each(["debian-cloud/debian-12", "projects/mine/global/images/family/web", "mine/web", "global/images/web"])(
    "names one project or none: %s",
    (image) => {
      expect(denialOf({ image })).toBeNull();
    },
  );

  it("names one project for a network", () => {
    expect(ofNetwork("https://www.googleapis.com/compute/v1/projects/mine/global/networks/x")).toBeNull();
  });
});
