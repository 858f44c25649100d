import type { PolicyResult, PolicyWarning } from "../../../model/policy.ts";
import { bootTimeOf } from "../../../model/places/boot-times.ts";
import { systemInImage } from "../../../model/places/images.ts";
import type { ScoredPlace } from "../../../placement/choose-placement.ts";
import { diskNames, pauseWayOf } from "../../../model/runs/pause-rules.ts";
import { shown, warning } from "../../check/denial.ts";
import type { DecisionRequest } from "../../types.ts";
import { networkWarnings } from "../../check/network-warnings.ts";
import { isObject, textOf } from "../../../model/json.ts";
import type { Kind } from "../../../model/names.ts";
import type { Provider, WorkloadRequest } from "../../../model/workload.ts";
import { annotationWarnings } from "../../check/annotation-warnings.ts";
import { poolZoneWarnings } from "./pool-zone-warnings.ts";
import { areaWarnings, providerWarnings } from "./provider-warnings.ts";
import { timeWarnings } from "../../check/check-times.ts";
import { poolsOf } from "../../check/read-request.ts";
import { unlikelySizes } from "../../check/unlikely-sizes.ts";
import { userDataProblem } from "../../check/user-data-format.ts";
import { waitWarnings } from "./wait-warnings.ts";
import { heldWarnings } from "./held-warnings.ts";
import { addressInPauses, pauseWarnings } from "./pause-warnings.ts";
import { durationText, MINUTE_SECONDS, parseDuration } from "../../../model/time.ts";
import { note } from "../../../model/text/note-codes.ts";

type Fields = Record<string, unknown>;

const sshPort = ({ port, toPort }: Fields): boolean => Number(port) <= 22 && Number(toPort ?? port) >= 22;

/** Open ports that no one reaches, and a login that no one has a key for. */
function accessWarnings(spec: Fields): PolicyWarning[] {
  const ports: readonly unknown[] = Array.isArray(spec["ports"]) ? spec["ports"] : [];
  if (ports.length === 0) return [];
  const network = isObject(spec["network"]) ? spec["network"] : {};
  const isReachable = network["publicIP"] === true || network["existing"] !== undefined;
  const hasLogin = spec["sshPublicKey"] !== undefined || spec["userData"] !== undefined;
  return [
    ...(isReachable ? [] : [warning("ADM_PORTS_PRIVATE", { field: "spec.ports" })]),
    ...(!hasLogin && ports.some((one) => isObject(one) && sshPort(one))
      ? [warning("ADM_NO_LOGIN", { field: "spec.ports" })]
      : []),
  ];
}

/** Security groups for each network interface, by default (Amazon VPC quotas). Only places of AWS take any. */
const SECURITY_GROUPS = 5;

/** The machine's own group for its ports comes to those that the user lists. */
function groupWarnings({ network, ports }: Fields): PolicyWarning[] {
  const existing = isObject(network) && isObject(network["existing"]) ? network["existing"] : {};
  const { securityGroups: groups } = existing;
  if (!Array.isArray(groups) || groups.length < SECURITY_GROUPS) return [];
  if (!Array.isArray(ports) || ports.length === 0) return [];
  return [warning("ADM_SECURITY_GROUPS", { field: "spec.network.existing.securityGroups", actual: groups.length })];
}

/** An image of one's own may have another program than cloud-init. */
function userDataWarnings({ userData, image }: Fields): PolicyWarning[] {
  const problem = typeof userData === "string" && image === undefined ? userDataProblem(userData) : null;
  return problem === null ? [] : [warning("ADM_USER_DATA", { field: "spec.userData", ...problem })];
}

/** A system that the image does not have. The image is what the machine gets. */
function systemWarnings({ os, image }: Fields): PolicyWarning[] {
  const allowed = typeof image === "string" ? systemInImage(image) : null;
  return allowed === null || os === undefined || os === allowed
    ? []
    : [warning("ADM_IMAGE_OS", { field: "spec.os", actual: shown(os), image: shown(image), allowed })];
}

function gpuWarnings(pools: readonly Fields[]): PolicyWarning[] {
  const index = pools.findIndex(({ gpu }) => Number(gpu ?? 0) > 0);
  return index < 0 ? [] : [warning("ADM_GPU_FIGURES", { field: `spec.nodePools[${String(index)}].gpu` })];
}

/** Effects of a taint that keep away Pods which were there before it, such as the cluster's own. */
const KEEPS_AWAY = ["NoSchedule", "NoExecute"];

const isTainted = ({ taints }: Fields): boolean =>
  Array.isArray(taints) && taints.some((one) => isObject(one) && KEEPS_AWAY.includes(textOf(one["effect"])));

/** A cluster in which the DNS of its own has no node. */
const taintWarnings = (pools: readonly Fields[]): PolicyWarning[] =>
  pools.length > 0 && pools.every(isTainted) ? [warning("ADM_POOLS_TAINTED", { field: "spec.nodePools" })] : [];

function inputWarnings(kind: Kind, spec: Fields): PolicyWarning[] {
  const sizes = unlikelySizes(spec).map(({ code, ...one }) => warning(code, one));
  if (kind === "VmTemplate")
    return [
      ...sizes,
      ...[accessWarnings, groupWarnings, userDataWarnings, systemWarnings].flatMap((warningsOf) => warningsOf(spec)),
    ];
  const pools = poolsOf(spec);
  return [...sizes, ...gpuWarnings(pools), ...taintWarnings(pools)];
}

/** Warnings for values of a new object that are valid and probably not intended. */
const ownWarnings = (request: DecisionRequest, workload: WorkloadRequest, provider: Provider): PolicyWarning[] => [
  ...timeWarnings(request.object, workload, request.nowSeconds),
  ...annotationWarnings(request.object, null),
  ...inputWarnings(workload.kind, request.object.spec ?? {}),
  ...areaWarnings(request, workload),
  ...providerWarnings(workload.kind, request.object.spec ?? {}, provider),
  ...networkWarnings(request.object.spec ?? {}),
];

type Spec = Record<string, unknown>;

/** A run that nothing ends after its duration. */
function keptWarnings({ duration, maxLifetime }: Spec, pricePerHour: number | null): PolicyWarning[] {
  if (typeof duration !== "string") return [];
  if (typeof maxLifetime === "string") {
    const message = `it runs on after its ${duration}, and is deleted after maxLifetime ${maxLifetime}`;
    return [note("END_AT_LIMIT", message)];
  }
  const cost = pricePerHour === null ? "" : `, for ${pricePerHour.toFixed(3)} USD per hour`;
  const message = `nothing ends it after its ${duration}: it runs on${cost}; write whenDone: delete to end it`;
  return [note("END_KEPT", message)];
}

const secondsIn = (value: unknown): number | null => (typeof value === "string" ? parseDuration(value) : null);

/** A time for failed runs that the limit, which counts from the start, always cuts short. */
function cutKeepFailed({ keepFailed, maxLifetime, duration }: Spec): PolicyWarning[] {
  const [kept, limit] = [secondsIn(keepFailed), secondsIn(maxLifetime)];
  if (kept === null || limit === null || kept <= limit) return [];
  // A run can fail at its very end.
  const long = durationText(kept + (secondsIn(duration) ?? limit));
  const message = `keepFailed ${shown(keepFailed)} is cut short by maxLifetime ${shown(maxLifetime)}, which counts from the start; write maxLifetime: ${long} or longer, or a shorter keepFailed`;
  return [note("END_KEEP_FAILED", message)];
}

/** A time for failed runs where none is deleted. */
function unusedKeepFailed({ keepFailed, ...spec }: Spec, whenDone: unknown): PolicyWarning[] {
  if (keepFailed === undefined) return [];
  if (whenDone === "delete") return cutKeepFailed({ ...spec, keepFailed });
  const message = `keepFailed ${shown(keepFailed)} has no effect: with whenDone ${shown(whenDone)} a failed run is not deleted; write whenDone: delete, or remove keepFailed`;
  return [note("END_KEEP_FAILED", message)];
}

/** An end that never comes: nothing says when the work is done. */
function unusedWhenDone({ whenDone, duration, maxLifetime }: Spec): PolicyWarning[] {
  if (whenDone === undefined || whenDone === "keep" || duration !== undefined || maxLifetime !== undefined) return [];
  const message = `whenDone ${shown(whenDone)} waits for a report (landfall.dev/completed): without a duration nothing else ends the run; add duration, for example duration: 3h`;
  return [note("END_UNTIMED", message)];
}

/** Disks that stay when the machine is deleted. */
function keptDisks(spec: Spec): PolicyWarning[] {
  const names = spec["deletionPolicy"] === "retain" ? [] : diskNames(spec, "retain");
  if (names.length === 0) return [];
  const message = `${names.join(", ")}: stays at the provider when the machine is deleted, and is paid for until a user deletes it there`;
  return [note("DISK_KEPT", message)];
}

/** The parts that a run loses in each of its pauses. */
function lostInPauses(spec: Spec): PolicyWarning[] {
  if (pauseWayOf(spec) !== "recreate") return [];
  const names = diskNames(spec, "retain");
  const left = names.length === 0 ? "nothing of it stays" : `only ${names.join(", ")} stays, and is paid for`;
  const message = `each pause deletes the machine with its system disk: ${left}; the next machine runs the user data again, which has to continue the work`;
  return [note("PAUSE_RECREATES", message)];
}

const MINUTES = /^(\d{1,4})m$/;
/** A run with fewer starts of a machine in its time is hardly meant. */
const STARTS = 2;
const LEAST_SECONDS = 4 * MINUTE_SECONDS;
const MOST_MONTHS = 12;

/** A short time in minutes after which everything is deleted: months may be meant. */
function shortWarnings(
  { object: { kind, spec = {} } }: DecisionRequest,
  whenDone: unknown,
  provider: Provider,
): PolicyWarning[] {
  const ends = whenDone === "delete" ? ["duration", "maxLifetime"] : ["maxLifetime"];
  const inMinutes = ends.filter((one) => MINUTES.test(textOf(spec[one])));
  if (inMinutes.length === 0) return [];
  const start = bootTimeOf(kind as Kind, provider).seconds;
  const name = inMinutes.find((one) => (secondsIn(spec[one]) ?? 0) < Math.max(LEAST_SECONDS, STARTS * start));
  if (name === undefined) return [];
  const minutes = Number(MINUTES.exec(textOf(spec[name]))?.[1]);
  const instead =
    minutes > MOST_MONTHS
      ? "write hours or days if those are meant"
      : `write ${name}: ${String(minutes * 30)}d for ${counted(minutes, "month")}`;
  const message = `${name} ${textOf(spec[name])} is ${counted(minutes, "minute")}, of which the start takes ${durationText(start)}, and then everything is deleted; ${instead}`;
  return [note("RUN_SHORT", message)];
}

const counted = (count: number, what: string): string => `${String(count)} ${what}${count === 1 ? "" : "s"}`;

/** Warnings about the end of a new object, and its pauses. */
function endWarnings(
  request: DecisionRequest,
  { defaults }: PolicyResult,
  { candidate }: ScoredPlace,
): PolicyWarning[] {
  const { object, operation, started } = request;
  const { spec = {} } = object;
  const { whenDone = defaults.whenDone ?? "keep" } = spec;
  if (operation !== "CREATE" || started === true) return [];
  const kept = whenDone === "keep" ? keptWarnings(spec, candidate.pricePerHour) : [];
  return [
    ...kept,
    ...unusedWhenDone(spec),
    ...unusedKeepFailed(spec, whenDone),
    ...shortWarnings(request, whenDone, candidate.provider),
    ...keptDisks(spec),
    ...lostInPauses(spec),
    ...addressInPauses(spec, candidate.provider),
  ];
}

const OF_VERSION = /^POL_KUBERNETES_END(?:S|ED)$/;

/** The policy's warnings but those about the versions of other providers than the chosen one. */
export const ofPlace = (
  warnings: readonly PolicyWarning[],
  { candidate: { provider } }: ScoredPlace,
): PolicyWarning[] =>
  warnings.filter(({ code, message }) => !OF_VERSION.test(code) || message.startsWith(`${provider} `));

/** The warnings about an object that is placed, besides those of the policy. */
export function warningsOf(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
  chosen: ScoredPlace,
): PolicyWarning[] {
  const { provider } = chosen.candidate;
  const own = request.started === true ? [] : ownWarnings(request, workload, provider);
  const spread = workload.kind === "KaasCluster" ? poolZoneWarnings(request, chosen) : [];
  return [
    ...own,
    ...spread,
    ...waitWarnings(request, workload),
    ...pauseWarnings(request, workload, result),
    ...endWarnings(request, result, chosen),
    ...heldWarnings(request, chosen.start > request.nowSeconds),
  ];
}
