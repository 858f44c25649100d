import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readiness } from "../../../src/composition/status/readiness.ts";
import { isSameImage, missingImage, newestOf } from "../../../src/local/simulators/kcc/kcc-image.ts";
import { kcc } from "../../../src/local/simulators/kcc/kcc.ts";
import { lookupIn, resources, ruleOf } from "./resources.ts";

interface Images {
  by_provider: { gcp: Record<string, Record<string, string>> };
  unrecognised: string[];
}

const images = parse(
  readFileSync(new URL("../../../policies/bundle/landfall/images/data.yaml", import.meta.url), "utf8"),
) as Images;

const link = (project: string, image: string): string =>
  `https://www.googleapis.com/compute/v1/projects/${project}/global/images/${image}`;

const refusal = (image: string, status: string) => {
  const [resource] = resources(`
apiVersion: compute.cnrm.cloud.google.com/v1beta1
kind: ComputeInstance
metadata: {name: web}
spec: {zone: europe-west8-b, machineType: e2-small, bootDisk: {initializeParams: {sourceImageRef: {external: ${image}}}}}
status: ${status}
`);
  return resource && ruleOf(kcc, "ComputeInstance").refuses?.(resource, lookupIn([]))?.message;
};

/** Image, project, family: from the output of `gcloud compute images list` of 2024-11, and the newest names of Debian and Ubuntu. */
const PUBLISHED: readonly (readonly [image: string, project: string, family: string])[] = [
  ["centos-stream-9-v20241112", "centos-cloud", "centos-stream-9"],
  ["cos-117-18613-75-26", "cos-cloud", "cos-117-lts"],
  ["cos-arm64-117-18613-75-26", "cos-cloud", "cos-arm64-117-lts"],
  ["cos-arm64-stable-117-18613-75-26", "cos-cloud", "cos-arm64-stable"],
  ["cos-stable-117-18613-75-26", "cos-cloud", "cos-stable"],
  ["debian-12-bookworm-arm64-v20241112", "debian-cloud", "debian-12-arm64"],
  ["debian-12-bookworm-v20241112", "debian-cloud", "debian-12"],
  ["fedora-coreos-41-20241027-3-0-gcp-aarch64", "fedora-coreos-cloud", "fedora-coreos-stable-arm64"],
  ["fedora-coreos-41-20241027-3-0-gcp-x86-64", "fedora-coreos-cloud", "fedora-coreos-stable"],
  ["opensuse-leap-15-6-v20241004-arm64", "opensuse-cloud", "opensuse-leap-arm64"],
  ["opensuse-leap-15-6-v20241004-x86-64", "opensuse-cloud", "opensuse-leap"],
  ["rhel-9-arm64-v20241112", "rhel-cloud", "rhel-9-arm64"],
  ["rhel-9-v20241112", "rhel-cloud", "rhel-9"],
  ["rhel-9-4-sap-v20241112", "rhel-sap-cloud", "rhel-9-4-sap-ha"],
  ["rocky-linux-9-optimized-gcp-arm64-v20241112", "rocky-linux-cloud", "rocky-linux-9-optimized-gcp-arm64"],
  ["sles-15-sp6-v20241113-arm64", "suse-cloud", "sles-15-arm64"],
  ["sles-15-sp6-v20241113-x86-64", "suse-cloud", "sles-15"],
  ["sles-15-sp6-sap-v20241113-x86-64", "suse-sap-cloud", "sles-15-sp6-sap"],
  ["ubuntu-2204-jammy-arm64-v20240927", "ubuntu-os-cloud", "ubuntu-2204-lts-arm64"],
  ["ubuntu-2204-jammy-v20240927", "ubuntu-os-cloud", "ubuntu-2204-lts"],
  ["ubuntu-2404-noble-amd64-v20241004", "ubuntu-os-cloud", "ubuntu-2404-lts-amd64"],
  ["ubuntu-2404-noble-arm64-v20241004", "ubuntu-os-cloud", "ubuntu-2404-lts-arm64"],
  ["ubuntu-2410-oracular-amd64-v20241021", "ubuntu-os-cloud", "ubuntu-2410-amd64"],
  ["ubuntu-minimal-2204-jammy-v20240926", "ubuntu-os-cloud", "ubuntu-minimal-2204-lts"],
  ["ubuntu-minimal-2404-noble-amd64-v20241004", "ubuntu-os-cloud", "ubuntu-minimal-2404-lts-amd64"],
  ["ubuntu-minimal-2404-noble-arm64-v20241004", "ubuntu-os-cloud", "ubuntu-minimal-2404-lts-arm64"],
  ["ubuntu-pro-2204-jammy-v20240927", "ubuntu-os-pro-cloud", "ubuntu-pro-2204-lts"],
  ["ubuntu-pro-2404-noble-arm64-v20241004", "ubuntu-os-pro-cloud", "ubuntu-pro-2404-lts-arm64"],
  ["ubuntu-pro-fips-2004-focal-v20241002", "ubuntu-os-pro-cloud", "ubuntu-pro-fips-2004-lts"],
  ["windows-server-2022-dc-core-v20241010", "windows-cloud", "windows-2022-core"],
  ["windows-server-2022-dc-v20241010", "windows-cloud", "windows-2022"],
  ["sql-2022-enterprise-windows-2019-dc-v20241010", "windows-sql-cloud", "sql-ent-2022-win-2019"],
  ["sql-2017-express-windows-2016-dc-v20241010", "windows-sql-cloud", "sql-exp-2017-win-2016"],
];

/** What the Terraform provider's own test expects of this function (resource_compute_disk_test.go), by the form of the name. */
const FORMS: readonly (readonly [project: string, image: string, wanted: string, same: boolean])[] = [
  ["debian-cloud", "debian-8-jessie-v1", "debian-8-jessie-v1", true],
  ["debian-cloud", "debian-8-jessie-v1", "global/images/debian-8-jessie-v1", true],
  ["debian-cloud", "debian-8-jessie-v1", "global/images/debian-8", false],
  ["debian-cloud", "debian-8-jessie-v1", "family/debian-8", true],
  ["debian-cloud", "debian-8-jessie-v1", "family/debian-7", false],
  ["debian-cloud", "debian-8-jessie-v1", "global/images/family/debian-8", true],
  ["debian-cloud", "debian-8-jessie-v1", "projects/debian-cloud/global/images/family/debian-8", true],
  ["debian-cloud", "debian-8-jessie-v1", "projects/other-cloud/global/images/family/debian-8", false],
  ["debian-cloud", "debian-8-jessie-v1", "debian/debian-8", true],
  ["debian-cloud", "debian-8-jessie-v1", "different-cloud/debian-8", false],
  ["debian-cloud", "debian-8-jessie-v1", link("debian-cloud", "family/debian-8"), true],
  ["debian-cloud", "debian-8-jessie-v1", link("debian-cloud", "debian-8-jessie-v2"), false],
  ["suse-cloud", "sles-15-sp4-v20220713-arm64", "sles-15", false],
  ["ubuntu-os-cloud", "ubuntu-2210-kinetic-amd64-v20221022", "ubuntu-2210", false],
  ["ubuntu-os-cloud", "ubuntu-2210-kinetic-v20221022", "ubuntu-2210-amd64", false],
  ["ubuntu-os-cloud", "ubuntu-1804-bionic-arm64-v20220712", "ubuntu-1804-lts", false],
];

describe("the image of a machine, as Config Connector compares it", () => {
  it.each(FORMS)("%s %s is %s: %j", (project, image, wanted, same) => {
    expect(isSameImage(link(project, image), wanted)).toBe(same);
  });

  const defaults = Object.entries(images.by_provider.gcp).flatMap(([os, by]) =>
    Object.entries(by).map(([arch, image]) => [os, arch, image] as const),
  );

  it.each(defaults)("recognises the default image of %s for %s", (_os, _arch, image) => {
    const [project = "", name = ""] = image.split("/");
    const published = PUBLISHED.find(([, , family]) => family === name)?.[0] ?? name;
    expect(published).toMatch(/\d{5}/);
    expect(isSameImage(link(project, published), image)).toBe(true);
    expect(refusal(image, `{selfLink: x}`)).toBeUndefined();
  });

  it.each(PUBLISHED)("the bundle knows whether %s of %s is recognised by its family %s", (image, project, family) => {
    const isKnown = images.unrecognised.some((pattern) => new RegExp(pattern).test(`${project}/${family}`));
    expect(isSameImage(link(project, image), `${project}/${family}`)).toBe(!isKnown);
  });

  it.each(PUBLISHED)("the simulator judges %s of %s as such a machine is judged", (image, project, family) => {
    const simulated = isSameImage(link(project, newestOf(family)), `${project}/${family}`);
    expect(simulated).toBe(isSameImage(link(project, image), `${project}/${family}`));
  });

  it("refuses a machine that exists, not its creation, and Landfall says why", () => {
    const image = "ubuntu-os-cloud/ubuntu-2404-lts-amd64";
    expect(refusal(image, "{}")).toBeUndefined();
    const message = refusal(image, "{selfLink: x}");
    expect(message).toContain("bootDisk.0.InitializeParams.0.Image");
    const condition = {
      type: "Ready",
      status: "False",
      reason: "UpdateFailed",
      message: `Update call failed: ${message ?? ""}`,
    };
    const resource = {
      apiVersion: "compute.cnrm.cloud.google.com/v1beta1",
      kind: "ComputeInstance",
      metadata: { name: "web" },
    };
    expect(readiness({ ...resource, status: { conditions: [condition] } })).toMatchObject({
      terminal: true,
      reason: "ImmutableField",
    });
  });
});

describe("an image that does not exist", () => {
  it.each([
    ["none", "Error resolving image name 'none': Could not find image or family none"],
    ["p/none", "Error resolving image name 'p/none': Could not find image or family p/none"],
    [
      "projects/p/global/images/none",
      "Error 404: The resource 'projects/p/global/images/none' was not found, notFound",
    ],
    ["global/images/none", "Error 404: The resource 'projects/own/global/images/none' was not found, notFound"],
    [
      link("p", "family/none"),
      "Error 404: The resource 'projects/p/global/images/family/none' was not found, notFound",
    ],
  ])("%s: %s", (image, text) => {
    expect(missingImage(image, "own")).toContain(text);
  });
});
