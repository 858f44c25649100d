import { textAt } from "../fields.ts";
import type { Refusal, Resource } from "../types.ts";

/** The image that the machine is created from, in any of the forms that the Terraform provider takes; null where it names a disk. */
export const imageOf = ({ spec }: Resource): string | null =>
  textAt(spec, "bootDisk.initializeParams.sourceImageRef.external");

/** The names that the Terraform provider has for projects of public images (`services/compute/image.go`). */
const PROJECTS: Readonly<Record<string, string>> = {
  centos: "centos-cloud",
  coreos: "coreos-cloud",
  debian: "debian-cloud",
  opensuse: "opensuse-cloud",
  rhel: "rhel-cloud",
  "rocky-linux": "rocky-linux-cloud",
  sles: "suse-cloud",
  ubuntu: "ubuntu-os-cloud",
  windows: "windows-cloud",
  "windows-sql": "windows-sql-cloud",
};

interface ImageName {
  /** Null for one of any project. */
  project: string | null;
  name: string;
  /** `image` and `family` where the form says which. */
  is: "image" | "family" | null;
}

const FORM =
  /(?:(?:projects\/([^/]{1,100})\/|^)global\/images\/(family\/)?|^(family\/)|^([^/]{1,100})\/|^)([-\w]{0,100})$/;

/** Reads a form of an image's name. */
function readName(text: string): ImageName {
  const [, project, globalFamily, family, short, name = ""] = FORM.exec(text) ?? [];
  const isFamily = globalFamily !== undefined || family !== undefined;
  const isGlobal = text.includes("global/images/");
  const owner = project ?? short ?? null;
  return {
    project: owner === null ? null : (PROJECTS[owner] ?? owner),
    name,
    is: isFamily ? "family" : isGlobal ? "image" : null,
  };
}

const without = (text: string, suffix: string): string =>
  text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;

/** Ubuntu's and Container-Optimized OS's families have `lts` in their names, which their images lack. */
function ltsFamilyOf(image: string): string | null {
  const ubuntu = /^ubuntu-(minimal-)?(\d{1,6})/.exec(image);
  if (ubuntu) return `ubuntu-${ubuntu[1] ?? ""}${ubuntu[2] ?? ""}-lts${image.includes("arm64") ? "-arm64" : ""}`;
  const cos = /^cos-(\d+)-/.exec(image)?.[1];
  return cos === undefined ? null : `cos-${cos}-lts`;
}

const EDITIONS: Readonly<Record<string, string>> = { enterprise: "ent", standard: "std", express: "exp" };

function sqlFamilyOf(image: string): string | null {
  const found = /^sql-(?:server-)?(\d{4})-([a-z]+)-windows-(?:server-)?(\d{4})(?:-r(\d+))?-dc-v\d+$/.exec(image);
  const [, version = "", edition = "", windows = "", revision] = found ?? [];
  const release = revision === undefined ? windows : `${windows}-r${revision}`;
  return found && `sql-${EDITIONS[edition] ?? edition}-${version}-win-${release}`;
}

/** Whether the Terraform provider takes an image of this name for one of the family (`diskImageFamilyEquals` in resource_compute_disk.go). */
function isOfFamily(image: string, family: string): boolean {
  if (!image.includes("-arm64") && image.includes(without(family, "-amd64")))
    return image.includes("-amd64") === family.endsWith("-amd64");
  if (image.includes(without(family, "-arm64"))) return image.includes("-arm64") === family.endsWith("-arm64");
  if (family === ltsFamilyOf(image) || family === sqlFamilyOf(image)) return true;
  return image.replace("-dc-", "-").includes(family.replace("windows-", "windows-server-"));
}

const LINK = /^https:\/\/www\.googleapis\.com\/compute\/[a-z0-9]+\/projects\/([^/]+)\/global\/images\/([-\w]*)/;

/**
 * Whether Config Connector takes the image that a machine has (`link`) for the one that its spec names: `DiskImageDiffSuppress` in
 * resource_compute_disk.go of the Terraform provider. If not, `image` of the boot disk has changed, which needs a new machine.
 */
export function isSameImage(link: string, wanted: string): boolean {
  const [, project = "", image = ""] = LINK.exec(link) ?? [];
  const { project: wantedProject, name, is } = readName(wanted);
  if (image === "" || (wantedProject !== null && wantedProject !== project)) return false;
  return (is !== "family" && image === name) || (is !== "image" && isOfFamily(image, name));
}

const DATE = "v20260906";
/** Names of releases, which Ubuntu's images have in addition to the family's. */
const UBUNTU: Readonly<Record<string, string>> = {
  ...{ 1604: "xenial", 1804: "bionic", 2004: "focal", 2204: "jammy", 2404: "noble" },
  ...{ 2410: "oracular", 2504: "plucky", 2510: "questing", 2604: "resolute" },
};

/** How the publishers of public images name those of a family, as `gcloud compute images list` shows them. */
const NAMED: readonly (readonly [family: RegExp, image: (...parts: string[]) => string])[] = [
  [
    /^(ubuntu-(?:minimal-|pro-|pro-fips-)?)(\d{4})(?:-lts)?(-amd64|-arm64)?$/,
    (_, prefix = "", release = "", arch = "") => `${prefix}${release}-${UBUNTU[release] ?? "x"}${arch}-${DATE}`,
  ],
  [/^(rhel-.*-sap)-ha$/, (_, name = "") => `${name}-${DATE}`],
  [/^(cos-(?:arm64-)?\d+)-lts$/, (_, name = "") => `${name}-18613-75-26`],
  [/^(cos-(?:arm64-)?(?:stable|beta|dev))$/, (_, name = "") => `${name}-117-18613-75-26`],
  [/^fedora-coreos-\w+-arm64$/, () => "fedora-coreos-41-20241027-3-0-gcp-aarch64"],
  [/^fedora-coreos-\w+$/, () => "fedora-coreos-41-20241027-3-0-gcp-x86-64"],
  [/^windows-(\d{4})(-core)?$/, (_, release = "", core = "") => `windows-server-${release}-dc${core}-${DATE}`],
  [
    /^sql-(ent|std|exp|web)-(\d{4})-win-(.+)$/,
    (_, edition = "", release = "", windows = "") =>
      `sql-${release}-${Object.keys(EDITIONS).find((name) => EDITIONS[name] === edition) ?? edition}-windows-${windows}-dc-${DATE}`,
  ],
  [/^(opensuse-leap|sles-.*)-arm64$/, (_, name = "") => `${name}-${DATE}-arm64`],
];

/** The newest image of a family; an image's own name stays. */
export function newestOf(name: string): string {
  if (/\d{5}/.test(name)) return name;
  for (const [pattern, image] of NAMED) {
    const found = pattern.exec(name);
    if (found) return image(...found.map((part: string | undefined) => part ?? ""));
  }
  return `${name}-${DATE}`;
}

/** The image of a machine that exists counts as another one at the next look, if its family's name is not in its own. */
export function imageRefusal(resource: Resource): Refusal | null {
  const wanted = imageOf(resource);
  if (wanted === null || textAt(resource.status, "selfLink") === null) return null;
  const { project, name } = readName(wanted);
  const link = `https://www.googleapis.com/compute/v1/projects/${project ?? "p"}/global/images/${newestOf(name)}`;
  if (isSameImage(link, wanted)) return null;
  const field = `Field Name: bootDisk.0.InitializeParams.0.Image, Got: ${wanted}, Wanted: ${link}`;
  return { code: "IMMUTABLE", message: `cannot make changes to immutable field(s): [${field}]`, terminal: false };
}

/** The error of an image that does not exist: the Terraform provider looks up short names itself, and sends paths and links on. */
export function missingImage(wanted: string, project: string): string {
  const at = wanted.indexOf("projects/");
  const path = wanted.slice(Math.max(0, at));
  if (at >= 0 && path.includes("/global/images/"))
    return `Error creating instance: googleapi: Error 404: The resource '${path}' was not found, notFound`;
  if (wanted.startsWith("global/images/"))
    return `Error creating instance: googleapi: Error 404: The resource 'projects/${project}/${wanted}' was not found, notFound`;
  return `Error resolving image name '${wanted}': Could not find image or family ${wanted}`;
}
