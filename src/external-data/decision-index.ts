import type { DecisionOwners } from "../model/decision-annotation/standing.ts";
import type { ReleaseMark } from "../model/decision-annotation/system-secrets.ts";

/** An event about decisions from Landfall's own namespace, one object of it at a time. Null: it is gone. */
export type DecisionEvent =
  | { type: "binding"; id: string; uid: string | null; signedAt?: number }
  | { type: "release"; record: string; installed: ReleaseMark | null };

/** An index of which object has which decision. */
export interface DecisionIndex extends Omit<
  DecisionOwners,
  "isUnderway" | "runOf" | "recordedRunOf" | "timesOf" | "beganOf" | "lacksMachine" | "runningOf"
> {
  /** Whether a controller of Landfall installs here: it binds decisions and records releases. */
  hasRecords(): boolean;
  /** Whether an object with this id exists. */
  isUsed(id: string): boolean;
  apply(event: DecisionEvent): void;
  /** The object with this key has the decision with this id, or none. */
  put(key: string, id: string | null | undefined): void;
  snapshot(): DecisionEvent[];
}

/** Finds whether anything has a value, without a scan. */
interface ReverseIndex {
  /** The value of this key from now on; null for none. */
  put(key: string, value: string | null): void;
  has(value: string): boolean;
  keysOf(value: string): readonly string[];
}

function createReverseIndex(): ReverseIndex {
  const values = new Map<string, string>();
  const keys = new Map<string, Set<string>>();
  return {
    put(key, value) {
      const before = values.get(key) ?? null;
      if (before === value) return;
      if (before !== null) {
        keys.get(before)?.delete(key);
        if (keys.get(before)?.size === 0) keys.delete(before);
        values.delete(key);
      }
      if (value === null) return;
      values.set(key, value);
      keys.set(value, (keys.get(value) ?? new Set()).add(key));
    },
    has: (value) => keys.has(value),
    keysOf: (value) => [...(keys.get(value) ?? [])],
  };
}

/** Neither names nor places hold a space. */
const installedAt = ({ kind, namespace, name, place }: Pick<ReleaseMark, "kind" | "namespace" | "name" | "place">) =>
  `${kind} ${namespace} ${name} ${place}`;

/** An index that knows nothing. */
export function createDecisionIndex(): DecisionIndex {
  const bindings = new Map<string, string>();
  /** By uid. */
  const latest = new Map<string, number>();
  const releases = new Map<string, ReleaseMark>();
  /** By the key of an object, the id of its decision. */
  const ids = createReverseIndex();
  /** By the name of a record, what it says is installed. */
  const installed = createReverseIndex();

  function bind({ id, uid, signedAt }: Extract<DecisionEvent, { type: "binding" }>): void {
    if (uid === null) bindings.delete(id);
    else bindings.set(id, uid);
    if (uid === null || signedAt === undefined) latest.delete(id);
    else latest.set(id, signedAt);
  }

  return {
    put: (key, id) => ids.put(key, id ?? null),
    isInstalled({ kind, metadata: { namespace = "default", name = "" } }, place) {
      return installed.has(installedAt({ kind, namespace, name, place }));
    },
    recordedSpecs({ kind, metadata: { namespace = "default", name = "", uid } }, place) {
      const marks = installed
        .keysOf(installedAt({ kind, namespace, name, place }))
        .map((record) => releases.get(record));
      const own = marks.filter(
        (mark) => mark !== undefined && (mark.uid === "" || uid === undefined || mark.uid === uid),
      );
      return own.map((mark) => mark?.spec ?? null);
    },
    ownerOf: (id) => bindings.get(id) ?? null,
    latestOf: (uid) => latest.get(uid) ?? 0,
    hasRecords: () => bindings.size > 0 || releases.size > 0,
    isUsed: (id) => ids.has(id),
    apply(event) {
      if (event.type === "release") {
        const { record, installed: mark } = event;
        installed.put(record, mark === null || mark.removed === true ? null : installedAt(mark));
        if (mark === null) releases.delete(record);
        else releases.set(record, mark);
      } else bind(event);
    },
    snapshot: () => [
      ...[...bindings].map(([id, uid]) => {
        const signedAt = latest.get(id);
        return { type: "binding" as const, id, uid, ...(signedAt === undefined ? {} : { signedAt }) };
      }),
      ...[...releases].map(([record, installed]) => ({ type: "release" as const, record, installed })),
    ],
  };
}
