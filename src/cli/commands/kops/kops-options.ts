import { readFile } from "node:fs/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { LandfallError } from "../../../errors.ts";
import { unusable } from "../../objects/read-documents.ts";
import { TARGETS, type Target } from "../../../kops/command-line.ts";
import { CONTINENTS, defaultFlags, LOCAL_ZONE } from "../../../kops/defaults.ts";
import { KOPS_PROVIDERS, type KopsFlags } from "../../../kops/types.ts";
import { parseIpv4Network } from "../../../model/formats/ipv4-network.ts";
import type { DecisionOptions } from "../../options/decision-options.ts";

/** Values that kOps needs and a KaasCluster does not have. */
export interface KopsOptions extends DecisionOptions {
  provider?: string;
  dnsZone: string;
  dns?: KopsFlags["dns"];
  state?: string;
  zone?: string;
  kubernetesVersion?: string;
  image?: string;
  controlPlaneSize?: string;
  controlPlaneVolume: number;
  sshPublicKey?: string;
  adminAccess?: string[];
  sshAccess?: string[];
  command?: boolean;
  target: Target;
}

/** The smallest and the largest volume in Elemento's form. */
const VOLUME_GIB = { least: 32, most: 2048 };

function dnsZone(text: string): string {
  if (/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError("expected a DNS name in small letters, e.g. k8s.example.com.");
}

function state(text: string): string {
  if (/^[a-z0-9]+:\/\/\S+$/.test(text)) return text.replace(/\/+$/, "");
  throw new InvalidArgumentError("expected the address of a state store, e.g. s3://my-state.");
}

function volume(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= VOLUME_GIB.least && value <= VOLUME_GIB.most) return value;
  throw new InvalidArgumentError(`expected GiB from ${String(VOLUME_GIB.least)} to ${String(VOLUME_GIB.most)}.`);
}

function version(text: string): string {
  if (/^v?\d+\.\d+\.\d+$/.test(text)) return text.replace(/^v/, "");
  throw new InvalidArgumentError("expected a version with its patch, e.g. 1.35.2.");
}

function networks(text: string): string[] {
  const all = text.split(",");
  if (all.every((one) => parseIpv4Network(one) !== null)) return all;
  throw new InvalidArgumentError("expected networks with commas between them, e.g. 192.0.2.0/24.");
}

/** Adds the options of `KopsOptions`, except those of `DecisionOptions`, to a command. */
export function withKopsOptions(command: Command): Command {
  return command
    .addOption(new Option("--provider <name>", "provider of objects without one").choices([...KOPS_PROVIDERS]))
    .option("--dns-zone <zone>", "the cluster's name in kOps is the object's name in this zone", dnsZone, LOCAL_ZONE)
    .addOption(
      new Option("--dns <kind>", `default: none for ${LOCAL_ZONE}, otherwise public`).choices([
        "none",
        "public",
        "private",
      ]),
    )
    .option("--state <store>", "state store of kOps, e.g. s3://my-state", state)
    .option("--zone <zone>", `Elemento: its provider, which is the default, or a continent (${CONTINENTS.join(", ")})`)
    .option("--kubernetes-version <version>", "full version (default: patch 0 of the cluster's version)", version)
    .option("--image <image>", "image of all machines (default: Ubuntu 24.04)")
    .option("--control-plane-size <type>", "machine type of the control plane (AWS: t3.medium, Elemento: argon)")
    .option("--control-plane-volume <GiB>", "disk of the control plane", volume, defaultFlags().controlPlaneVolumeGiB)
    .option("--ssh-public-key <file>", "key of the administrator")
    .option("--admin-access <networks>", "networks that can reach the API server", networks)
    .option("--ssh-access <networks>", "networks that can reach SSH (default: the nodes' network)", networks)
    .option("--command", "print a kops create cluster command instead")
    .addOption(new Option("--target <target>", "with --command").choices([...TARGETS]).default("direct"));
}

async function readKey(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    throw unusable(file, thrown);
  });
  const key = text.trim();
  // A private key must not appear in a manifest or a message.
  if (/^(ssh-|ecdsa-|sk-)[a-z0-9@.-]+ [A-Za-z0-9+/]+=*( [^\r\n]*)?$/.test(key)) return key;
  throw new LandfallError("KOPS_SSH_KEY", { file });
}

/** The flags in the form of the mapping. Throws CLI_INPUT, KOPS_SSH_KEY. */
export async function readKopsFlags(options: KopsOptions): Promise<KopsFlags> {
  return {
    dnsZone: options.dnsZone,
    dns: options.dns ?? defaultFlags(options.dnsZone).dns,
    state: options.state ?? null,
    zone: options.zone ?? null,
    kubernetesVersion: options.kubernetesVersion ?? null,
    image: options.image ?? null,
    controlPlaneSize: options.controlPlaneSize ?? null,
    controlPlaneVolumeGiB: options.controlPlaneVolume,
    sshPublicKey: options.sshPublicKey === undefined ? null : await readKey(options.sshPublicKey),
    adminAccess: options.adminAccess ?? null,
    sshAccess: options.sshAccess ?? null,
  };
}
