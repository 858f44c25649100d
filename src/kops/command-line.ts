import { describe } from "../errors.ts";
import { isObject, textOf } from "../model/json.ts";
import type { KopsFlags, KopsManifests, Manifest, Note } from "./types.ts";

/** The targets of `kops create cluster`: create the cluster, print the manifests, or write Terraform. */
export const TARGETS = ["direct", "dryrun", "terraform"] as const;
export type Target = (typeof TARGETS)[number];

export interface CommandOptions {
  flags: KopsFlags;
  target: Target;
  /** Path of the public key file, as the user gave it. */
  sshPublicKeyFile: string | null;
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const entries = (value: unknown): [string, string][] =>
  isObject(value) ? Object.entries(value).map(([key, item]) => [key, textOf(item)]) : [];
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((found, key) => (isObject(found) ? found[key] : undefined), value);

/** Quotes a word for a POSIX shell if necessary. */
export const quoted = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

const TARGET_WORDS: Readonly<Record<Target, readonly string[]>> = {
  direct: [],
  dryrun: ["--dry-run", "--output=yaml"],
  terraform: ["--target=terraform"],
};

function flag(name: string, value: unknown): string[] {
  const words = (Array.isArray(value) ? value : [value]).filter((word) => word !== undefined && word !== null);
  return words.length === 0 ? [] : [`--${name}=${words.map(textOf).join(",")}`];
}

/** kOps splits labels at every comma, even in quotes. */
const isLabel = ([, value]: [string, string]): boolean => !/[,\r\n]/.test(value);

/** kOps reads each label as a line of CSV with = between the fields. */
const labelWord = ([key, value]: [string, string]): string =>
  /["=]|^\s|^$/.test(value) ? `${key}="${value.replaceAll('"', '""')}"` : `${key}=${value}`;

function ofCluster({ metadata, spec }: Manifest, { flags, sshPublicKeyFile }: CommandOptions): string[] {
  const balancer = at(spec, "api", "loadBalancer", "type");
  const subnets = list(spec["subnets"]);
  const set = ["nonMasqueradeCIDR", "serviceClusterIPRange"].filter((field) => spec[field] !== undefined);
  return [
    ...flag("name", metadata.name),
    ...flag("state", flags.state),
    ...flag("cloud", spec["cloudProvider"]),
    ...flag("kubernetes-version", spec["kubernetesVersion"]),
    ...flag("zones", [...new Set(subnets.map((subnet) => at(subnet, "zone")))]),
    ...flag("network-cidr", spec["networkCIDR"]),
    ...flag("networking", Object.keys(spec["networking"] ?? {})),
    ...flag("topology", subnets.some((subnet) => at(subnet, "type") === "Private") ? "private" : "public"),
    ...flag("dns", flags.dns),
    ...flag("dns-zone", spec["dnsZone"]),
    ...flag("api-loadbalancer-type", balancer === "Internal" ? "internal" : "public"),
    ...flag("admin-access", spec["kubernetesApiAccess"]),
    ...flag("ssh-access", spec["sshAccess"]),
    ...flag("ssh-public-key", sshPublicKeyFile),
    ...flag("cloud-labels", entries(spec["cloudLabels"]).filter(isLabel).map(labelWord)),
    // The path in kOps's own API, not in that of the manifests.
    ...set.map((field) => `--set=cluster.spec.networking.${field}=${textOf(spec[field])}`),
  ];
}

function ofControlPlane(groups: readonly Manifest[]): string[] {
  const [first] = groups;
  return [
    ...flag("control-plane-count", groups.length),
    ...flag("control-plane-zones", [...new Set(groups.flatMap(({ spec }) => list(spec["subnets"])))]),
    ...flag("control-plane-size", first?.spec["machineType"]),
    ...flag("control-plane-volume-size", first?.spec["rootVolumeSize"]),
    ...flag("image", first?.spec["image"]),
  ];
}

/** An image of their own only if it differs: --image is for all machines. */
function ofNodes({ spec }: Manifest, controlPlane: Manifest | undefined): string[] {
  return [
    ...flag("node-image", spec["image"] === controlPlane?.spec["image"] ? undefined : spec["image"]),
    ...flag("node-count", spec["minSize"]),
    ...flag("node-size", spec["machineType"]),
    ...flag("node-volume-size", spec["rootVolumeSize"]),
  ];
}

function missing(path: string, value: unknown): Note {
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  return { code: "KOPS_COMMAND", path, value, ...describe("KOPS_COMMAND", { path, value: shown }) };
}

/** Fields that have no flag: further pools, and everything but the size of the first one. */
function withoutFlag({ cluster, nodes: [first, ...more] }: KopsManifests): Note[] {
  const path = ({ metadata }: Manifest): string => `InstanceGroup/${metadata.name ?? ""}`;
  const { minSize, maxSize, nodeLabels, taints } = first?.spec ?? {};
  const fields = { maxSize: maxSize === minSize ? undefined : maxSize, nodeLabels, taints };
  const { subnets, cloudLabels } = cluster.spec;
  const region = at(list(subnets)[0], "region");
  const owner = `Cluster/${cluster.metadata.name ?? ""}`;
  const labels = entries(cloudLabels).filter((label) => !isLabel(label));
  return [
    ...(region === undefined ? [] : [missing(`${owner} spec.subnets[0].region`, region)]),
    ...labels.map(([key, value]) => missing(`${owner} spec.cloudLabels.${key}`, value)),
    ...Object.entries(fields).flatMap(([field, value]) =>
      first === undefined || value === undefined ? [] : [missing(`${path(first)} spec.${field}`, value)],
    ),
    ...more.map((group) => missing(path(group), group.spec["machineType"])),
  ];
}

/** `kops create cluster` for these manifests as a list of words, and the fields that have no flag. Pure. */
export function commandLine(manifests: KopsManifests, options: CommandOptions): { words: string[]; notes: Note[] } {
  const { cluster, controlPlane, nodes } = manifests;
  const [first] = nodes;
  const words = [
    ...ofCluster(cluster, options),
    ...ofControlPlane(controlPlane),
    ...(first === undefined ? [] : ofNodes(first, controlPlane[0])),
    ...TARGET_WORDS[options.target],
  ];
  return { words: ["kops", "create", "cluster", ...words], notes: withoutFlag(manifests) };
}
