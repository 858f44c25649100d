import { askedEviction, askedShutdown } from "../decide-phase.ts";
import { cloudId, digits, textAt } from "../fields.ts";
import type { Refusal, Resource, Shutdown } from "../types.ts";

/** Annotation that stands for a machine which was stopped by hand. ACK sees it when it looks: a new annotation does not make it look. */
export const STOPPED_BY_HAND = "simulators.landfall.dev/stopped";
/** Annotation with the id of the machine that was terminated by hand. */
export const TERMINATED_BY_HAND = "simulators.landfall.dev/terminated";

const STOPPED = { state: { code: 80, name: "stopped" } };
const RUNNING = { state: { code: 16, name: "running" } };

export const instanceState = ({ metadata }: Resource): Record<string, unknown> =>
  metadata.annotations?.[STOPPED_BY_HAND] === "true" ? STOPPED : RUNNING;

const isEmpty = (value: unknown): boolean => !Array.isArray(value) || value.length === 0;

/** An image's id instead of its parameter; the disks are gone, and the network's card and the groups are there. */
export function instanceWriteBack(resource: Resource): Record<string, unknown> | null {
  const { spec, metadata } = resource;
  const card = { deviceIndex: 0, subnetID: textAt(spec, "subnetID") ?? cloudId("subnet-", resource) };
  const image = textAt(spec, "imageID") ?? "";
  const found = {
    ...(image.startsWith("resolve:") ? { imageID: `ami-${digits(image, 17)}` } : {}),
    ...(spec["blockDeviceMappings"] === undefined ? {} : { blockDeviceMappings: null }),
    ...(isEmpty(spec["networkInterfaces"]) ? { networkInterfaces: [card] } : {}),
    // The VPC's default group.
    ...(isEmpty(spec["securityGroupIDs"]) ? { securityGroupIDs: [cloudId("sg-", resource)] } : {}),
  };
  return metadata.deletionTimestamp !== undefined || Object.keys(found).length === 0 ? null : found;
}

const refusal = (message: string): Refusal => ({ code: "InvalidParameterCombination", message, terminal: false });

/** A machine without any group: ACK then sends ModifyInstanceAttribute without an attribute. */
export const withoutGroups = ({ spec, status }: Resource): Refusal | null =>
  textAt(status, "instanceID") !== null && isEmpty(spec["securityGroupIDs"])
    ? refusal("No attributes specified.")
    : null;

/** AWS takes no cards in addition to a subnet, and ACK sends what stands in the spec. */
function createdAgain(resource: Resource, id: string): Shutdown {
  const { spec, metadata } = resource;
  const besides = spec["subnetID"] !== undefined || spec["subnetRef"] !== undefined;
  // prose-ok: the message of EC2
  const message = "Network interfaces and an instance-level subnet ID may not be specified on the same request";
  const isRefused = besides && !isEmpty(spec["networkInterfaces"]);
  const status = { instanceID: `i-${digits([metadata.uid, id], 17)}`, ...RUNNING };
  return { seconds: 0, status, again: { refusal: isRefused ? refusal(message) : null } };
}

/**
 * EC2 stops a machine that shuts itself down, or terminates it. ACK reads it at its next look, and creates one that is terminated
 * again: https://github.com/aws-controllers-k8s/ec2-controller/blob/main/pkg/resource/instance/hooks.go (needsRestart). A fault that was
 * asked for happens to the first machine alone.
 */
export function instanceEnd(resource: Resource): Shutdown | null {
  const id = textAt(resource.status, "instanceID") ?? cloudId("i-", resource);
  if (resource.metadata.annotations?.[TERMINATED_BY_HAND] === id) return createdAgain(resource, id);
  if (id !== cloudId("i-", resource)) return null;
  const isSpot = textAt(resource.spec, "instanceMarketOptions.marketType") === "spot";
  const evicted = isSpot ? askedEviction(resource) : null;
  const seconds = evicted ?? askedShutdown(resource);
  if (seconds === null) return null;
  const ends = evicted !== null || textAt(resource.spec, "instanceInitiatedShutdownBehavior") === "terminate";
  return ends ? { ...createdAgain(resource, id), seconds } : { seconds, status: STOPPED };
}
