import type { ExistingWorkload, RelatedWorkloads } from "../model/cluster-data.ts";
import type { KubernetesObject, NamespaceData } from "../model/kubernetes.ts";
import { isAdoptable, type Retained } from "../model/runs/retained.ts";
import type { ObservedBoots } from "../model/places/boot-times.ts";
import type { DecisionOwners } from "../model/decision-annotation/standing.ts";
import { createDecisionIndex, type DecisionEvent } from "./decision-index.ts";
import { trustPlace } from "./trust-place.ts";
import { leftKey } from "./usage/running-releases.ts";
import { createRunIndex, type RunEvent, type WorkloadEvent } from "./run-index.ts";
import type { Reservation, Withdrawal } from "./usage/reservation-book.ts";
import { createReservations, type Reservations, type SharedEvent } from "./usage/reservations.ts";
import type { Ended, Unstored } from "./usage/unstored.ts";

type RetainedEvent = Extract<ClusterEvent, { type: "retained" }>;

/** The object that can take over what another one left: it has this key, and its label names this release. */
interface Adopter {
  key: string;
  release: string;
}

/** One change of the cluster's data, small enough for messages between processes. Null: deleted. */
export type ClusterEvent =
  | { type: "namespace"; name: string; data: NamespaceData | null }
  | WorkloadEvent
  | RunEvent
  /** The record of what a deleted object left running. */
  | { type: "retained"; key: string; workload: ExistingWorkload | null; adopter: Adopter | null; isGone: boolean }
  /** Admitted but not seen yet; counts until it is seen, or until `until` (seconds since 1970). */
  | ({ type: "reservation" } & Reservation)
  /** A change of the ledger that all replicas of the webhook share. */
  | SharedEvent
  /** The decision of a reservation was not answered: it does not count. */
  | ({ type: "withdrawn" } & Withdrawal)
  /** Admitted and not seen until its reservation ended. */
  | ({ type: "unstored" } & Ended)
  | DecisionEvent
  /** How long boots took, as a controller observed. */
  | { type: "boots"; observed: ObservedBoots }
  /** All earlier events were still true at this time (seconds since 1970). `wasAway`: the API server's storage did not answer since the last one. */
  | { type: "seen"; at: number; wasAway?: boolean };

type ReservationEvent = Extract<ClusterEvent, { type: "reservation" | "unstored" | "withdrawn" | "shared" }>;

const isOfReservations = (event: ClusterEvent): event is ReservationEvent =>
  ["reservation", "unstored", "withdrawn", "shared"].includes(event.type);

/** The object that others are looked up for. */
export interface AskedObject {
  key: string;
  namespace: string;
  vmName: string | null;
  /** The release that it names, which it takes over if that one's object is gone. */
  release?: string | undefined;
}

/** The cluster's data that decisions need. */
export interface ClusterData {
  apply(event: ClusterEvent): void;
  /** A namespace's data; without labels and annotations if it is not known (yet). */
  namespace(name: string): NamespaceData;
  /** Whether a namespace's data is known. */
  knows(name: string): boolean;
  /** Data about the other objects; null if the cluster has not been read yet. */
  around(asked: AskedObject, nowSeconds: number): RelatedWorkloads | null;
  /** Every object that counts at `nowSeconds`, including reservations, without the one with this key. */
  workloads(nowSeconds: number, except: string, release?: string): ExistingWorkload[];
  /** Whether a new object with this key takes over this release: what that one runs does not count besides the object. */
  takesOver(key: string, release: string): boolean;
  /** Whether an object of this key is stored, as far as it is known: it may be gone for a moment. */
  isStored: Reservations["isStored"];
  unconfirmed: Reservations["unconfirmed"];
  awaited: Reservations["awaited"];
  unstored: Pick<Unstored, "times" | "endOf">;
  behind: Reservations["behind"];
  /** The number of the last change of the ledger that counts; 0 for none. */
  counted(): number;
  isLate: Reservations["isLate"];
  /** How long boots took, as a controller observed. */
  boots(): ObservedBoots;
  /** Which objects decisions were made for. */
  owners: DecisionOwners;
  /** The events that reproduce this data. */
  snapshot(): ClusterEvent[];
}

/** Limit of listed machines with the same name. */
const NAMED = 5;

export const bareNamespace = (name: string): NamespaceData => ({ name, labels: {}, annotations: {} });

/** The key of an object. */
export const workloadKey = (kind: string, namespace: string, name: string): string => `${kind}/${namespace}/${name}`;

/** The key of an object that was read from the cluster. */
export const keyOfWorkload = ({
  kind,
  metadata: { namespace = "default", name = "" },
}: Pick<KubernetesObject, "kind" | "metadata">): string => workloadKey(kind, namespace, name);

/** Data of a cluster that has not been read yet. */
export function createClusterData(): ClusterData {
  const namespaces = new Map<string, NamespaceData>();
  const reservations = createReservations();
  const decisions = createDecisionIndex();
  /** By key of the adopter and release. */
  const adoptable = new Map<string, Map<string, string>>();
  const retained = new Map<string, RetainedEvent>();
  const runs = createRunIndex();
  let asOf: number | null = null;
  let counted = 0;
  let boots: ObservedBoots = {};

  function retain(event: RetainedEvent): void {
    const { key, workload, adopter, isGone } = event;
    reservations.put(key, workload);
    if (isGone) retained.delete(key);
    else retained.set(key, event);
    reservations.retain(key, !isGone);
    if (adopter === null) return;
    const left = adoptable.get(adopter.key) ?? new Map<string, string>();
    if (workload === null) left.delete(adopter.release);
    else adoptable.set(adopter.key, left.set(adopter.release, key));
  }

  /** An object, and what is recorded of its run. */
  function count(event: WorkloadEvent | RunEvent): void {
    if (event.type === "workload") {
      const counts = runs.put(event);
      if (event.workload !== null && event.isOffer === true) reservations.offer(event.key, event.workload);
      else reservations.put(event.key, event.workload, counts);
      decisions.put(event.key, event.isOffer === true ? null : event.workload?.decisionId);
    } else reservations.recount(event.key, runs.apply(event));
  }

  /** The key that does not count for an object: its own, or the release that a new one takes over because its label names it. */
  function exceptionFor(key: string, release: string | undefined): string {
    if (reservations.has(key) || release === undefined) return key;
    return adoptable.get(key)?.get(release) ?? reservations.left(key, release) ?? key;
  }

  /** An installed object continues to run after its end, until it is removed. */
  function untilRemoved(workload: ExistingWorkload, nowSeconds: number): ExistingWorkload {
    const { kind, namespace, name, place, end } = workload;
    if (end === null || end > nowSeconds || place === null) return workload;
    return decisions.isInstalled({ kind, metadata: { namespace, name } }, place)
      ? { ...workload, end: null }
      : workload;
  }

  const runningOf: DecisionOwners["runningOf"] = (object) =>
    reservations.running(keyOfWorkload(object), object.metadata.uid);

  function see({ at, wasAway }: Extract<ClusterEvent, { type: "seen" }>): void {
    asOf = at;
    reservations.seen(at, wasAway === true);
  }

  function describe({ name, data }: Extract<ClusterEvent, { type: "namespace" }>): void {
    if (data === null) namespaces.delete(name);
    else namespaces.set(name, data);
  }

  function reserve(event: ReservationEvent): void {
    if (event.type === "reservation") reservations.reserve(event);
    else if (event.type === "unstored") reservations.unstored.end(event);
    else if (event.type === "withdrawn") reservations.withdraw(event);
    else reservations.share(event.id, event.reservation);
    if (event.type === "shared") counted = Math.max(counted, event.number);
  }

  function decide(event: DecisionEvent): void {
    decisions.apply(event);
    if (event.type === "release") reservations.run(event.record, event.installed);
  }

  function around(asked: AskedObject, nowSeconds: number): RelatedWorkloads | null {
    if (asOf === null) return null;
    const usage = reservations.usage(asked.namespace, exceptionFor(asked.key, asked.release), nowSeconds);
    const { key: except, namespace, vmName } = asked;
    const same = vmName === null ? [] : reservations.named({ vmName, namespace, except, most: NAMED }, nowSeconds);
    return {
      usage,
      vmName,
      sameVmName: same.map(([, { namespace: other, name }]) => ({ namespace: other, name })),
      asOf,
    };
  }

  return {
    apply(event) {
      if (event.type === "seen") see(event);
      else if (event.type === "workload" || event.type === "run") count(event);
      else if (isOfReservations(event)) reserve(event);
      else if (event.type === "retained") retain(event);
      else if (event.type === "boots") boots = event.observed;
      else if (event.type === "binding" || event.type === "release") decide(event);
      else describe(event);
    },
    knows: (name) => namespaces.has(name),
    namespace: (name) => namespaces.get(name) ?? bareNamespace(name),
    around,
    workloads: (nowSeconds, except, release) =>
      reservations
        .all(nowSeconds, exceptionFor(except, release))
        .map((workload) => trustPlace(workload, { ...decisions, runningOf }))
        .map((workload) => untilRemoved(workload, nowSeconds)),
    owners: {
      ...{ ownerOf: decisions.ownerOf, latestOf: decisions.latestOf },
      isInstalled: (object, place) => decisions.isInstalled(object, place),
      recordedSpecs: (object, place) => decisions.recordedSpecs(object, place),
      runOf: (object) => runs.standingOf(object.metadata.uid ?? ""),
      recordedRunOf: (object) => runs.recordedRunOf(object.metadata.uid ?? ""),
      runningOf,
      timesOf: (object) => runs.timesOf(object.metadata.uid ?? ""),
      beganOf: (object) => runs.beganOf(object.metadata.uid ?? ""),
      lacksMachine: (object) => runs.lacksMachine(object.metadata.uid ?? ""),
      isUnderway: (id, nowSeconds) => reservations.isOpen(id, nowSeconds) && !decisions.isUsed(id),
    },
    boots: () => boots,
    isStored: (key) => reservations.isStored(key),
    unconfirmed: (namespace, by, nowSeconds) => reservations.unconfirmed(namespace, by, nowSeconds),
    takesOver: (key, release) => exceptionFor(key, release) !== key,
    awaited: (namespace, except, nowSeconds) => reservations.awaited(namespace, except, nowSeconds),
    unstored: reservations.unstored,
    behind: (...asked) => reservations.behind(...asked),
    counted: () => counted,
    isLate: (...asked) => reservations.isLate(...asked),
    snapshot: () => [
      ...[...namespaces].map(([name, data]): ClusterEvent => ({ type: "namespace", name, data })),
      ...reservations.snapshot(),
      { type: "shared" as const, id: "", number: counted, reservation: null },
      ...runs.snapshot(),
      ...decisions.snapshot(),
      ...retained.values(),
      ...(Object.keys(boots).length === 0 ? [] : [{ type: "boots" as const, observed: boots }]),
      ...(asOf === null ? [] : [{ type: "seen" as const, at: asOf }]),
    ],
  };
}

/** The amounts that a retained part adds; it no longer counts once it is acknowledged. */
export function retainedEvent(retained: Retained, isGone = false): ClusterEvent {
  const { workload, uid, release, acknowledged } = retained;
  const object = workloadKey(workload.kind, workload.namespace, workload.name);
  const adopter = isAdoptable(retained) ? { key: object, release } : null;
  const counts = !isGone && acknowledged === null;
  return { type: "retained", key: leftKey(object, uid), workload: counts ? workload : null, adopter, isGone };
}
