import { retryConflicts } from "../../src/cluster/retry-conflicts.ts";
import { hasStatus } from "../../src/cluster/client/api-error.ts";
import { fingerprintsIn } from "../certificates/authorities.ts";
import type { Bundles, KeptCertificate } from "../certificates/keep-certificate.ts";
import { bundleIn, emergencyIn, faultOf, followsLate } from "./configuration-fault.ts";
import type { MatchCondition } from "./match-conditions.ts";
import { rememberAuthorities } from "./remember-authorities.ts";
import {
  configurationsFor,
  type Endpoint,
  type Present,
  readConfigurations,
  refuseOthers,
  register,
} from "./register.ts";
import { suspendedBy, type Where } from "./suspended-by.ts";

/** `suspended`: they differ, and someone wants it so. */
export type RegistrationState = "registered" | "suspended" | "failing";

export interface KeepOptions extends Where {
  /** As it is now: its CAs can change. */
  endpoint: () => Endpoint;
  /** Reads what else the endpoint depends on, before each look; omitted for nothing. */
  prepare?: () => Promise<void>;
  /** Follows the configurations; omitted if it never changes. */
  certificate?: Pick<KeptCertificate, "look" | "compare">;
  onEvent: (event: { type: "Normal" | "Warning"; reason: string; message: string }) => void;
  onFailure: (thrown: unknown) => void;
  /** Milliseconds between two looks. */
  everyMs?: number;
}

export interface Registration {
  state: () => RegistrationState;
  /** How often a configuration was put back. */
  restored: () => number;
  /** Compares now, and puts back what differs. */
  look: () => Promise<void>;
  stop: () => Promise<void>;
}

/** So many conflicts in a row come from a rival that writes all the time, not from another replica. */
const CONFLICTS = 6;

const bundlesIn = (present: Present): Bundles => present.map(bundleIn);

/**
 * Writes the configurations for the first time, after the CAs of all replicas were read. Another replica may write at the same time:
 * then it is done again, and left to the later looks if a rival writes all the time. Returns why they were not written; null if they were.
 */
export async function registerFirst(options: KeepOptions): Promise<string | null> {
  const { client, endpoint, certificate, prepare } = options;
  await prepare?.();
  const reason = await suspendedBy(options);
  if (reason !== null) return reason;
  const attempt = async (): Promise<null> => {
    const present = await readConfigurations(client, endpoint(), "latest");
    refuseOthers(present, endpoint());
    await certificate?.look(bundlesIn(present));
    await register(client, endpoint(), present);
    certificate?.compare(bundlesIn(configurationsFor(endpoint()).map(({ configuration }) => configuration)));
    return null;
  };
  return retryConflicts(attempt).catch((thrown: unknown) => {
    if (!hasStatus(thrown, 409)) throw thrown;
    return "others write them at the same moment";
  });
}

/** Watches the two webhook configurations of this process, and puts them back when someone changes or deletes them. */
export function keepRegistered(options: KeepOptions): Registration {
  const { client, certificate, onEvent, onFailure, everyMs = 5000 } = options;
  /** Instead of that of the endpoint, while the record of emergencies cannot be read. */
  let unread: { emergency: MatchCondition | null } | null = null;
  const endpoint = (): Endpoint => ({ ...options.endpoint(), ...unread });
  let state: RegistrationState = "registered";
  let restored = 0;
  let underway: Promise<void> | null = null;
  /** Looks in a row whose write another one overtook. */
  let conflicts = 0;
  const memory = rememberAuthorities();
  memory.know(endpoint());
  /** The condition of the emergencies that were read last. */
  let lastRead: MatchCondition | null = options.endpoint().emergency ?? null;
  /** As it was at the last look: what is still so was not changed by others. */
  let before = endpoint();

  /** The differences, and whether someone else made them. */
  function faultsIn(present: Present): { text: string; isForeign: boolean }[] {
    const now = endpoint();
    const earlier = configurationsFor(before).map(({ configuration }) => configuration);
    return configurationsFor(now).flatMap(({ configuration }, at) => {
      const there = present[at] ?? null;
      const fault = faultOf(configuration, there, now);
      if (fault === null) return [];
      const isLate =
        followsLate(configuration, there, memory.of(at), now) ||
        faultOf(earlier[at] ?? configuration, there, before) === null;
      const isForeign = !isLate;
      return [{ text: `${configuration.kind} ${configuration.metadata.name ?? ""} ${fault}`, isForeign }];
    });
  }

  /** Whether someone took out a CA that this process saw: API servers did not trust it for a moment. Other changes do not matter for that. */
  function lostAuthority(present: Present): boolean {
    const needed = fingerprintsIn(endpoint().ca);
    return present.some((one, at) => {
      const there = fingerprintsIn(bundleIn(one) ?? "");
      return needed.some((ca) => memory.of(at).seen.has(ca) && !there.includes(ca));
    });
  }

  /** False if the record of emergencies cannot be read. */
  async function prepared(): Promise<boolean> {
    try {
      await options.prepare?.();
      lastRead = options.endpoint().emergency ?? null;
      return true;
    } catch (thrown) {
      onFailure(thrown);
      return false;
    }
  }

  /** Without the record: an emergency that was read ends in time, and another condition stays as it was written. */
  function keptEmergency(present: Present): MatchCondition | null {
    const there = present.map(emergencyIn).find((one) => one !== null) ?? null;
    return there?.expression === lastRead?.expression ? (options.endpoint().emergency ?? null) : there;
  }

  async function restore(present: Present, faults: { text: string; isForeign: boolean }[]): Promise<void> {
    const isLost = lostAuthority(present);
    await register(client, endpoint(), present);
    state = "registered";
    const foreign = faults.filter(({ isForeign }) => isForeign).map(({ text }) => text);
    const written = configurationsFor(endpoint()).map(({ configuration }) => configuration);
    memory.see(written);
    certificate?.compare(bundlesIn(written), isLost && foreign.length > 0);
    if (foreign.length === 0) return;
    restored += 1;
    const message = `${foreign.join("; ")}; it is as before again`;
    onEvent({ type: "Warning", reason: "RegistrationRestored", message });
  }

  async function look(): Promise<void> {
    const isRead = await prepared();
    const present = await readConfigurations(client, endpoint(), "cached");
    unread = isRead ? null : { emergency: keptEmergency(present) };
    await certificate?.look(bundlesIn(present));
    const faults = faultsIn(present);
    before = endpoint();
    memory.know(before);
    memory.see(present);
    if (faults.length === 0) {
      state = "registered";
      return;
    }
    const reason = await suspendedBy(options);
    if (reason === null) return restore(present, faults);
    const wasSuspended = state === "suspended";
    state = "suspended";
    if (wasSuspended) return;
    const found = faults.map(({ text }) => text).join("; ");
    const message = `${found}; it stays so: ${reason}. Objects are not decided`;
    onEvent({ type: "Warning", reason: "RegistrationSuspended", message });
  }

  const timer = setInterval(() => {
    // One look at a time: a slow one is not overtaken.
    underway ??= look()
      .then(() => {
        conflicts = 0;
      })
      .catch((thrown: unknown) => {
        // Another replica wrote at the same moment. The next look shows what.
        conflicts = hasStatus(thrown, 409) ? conflicts + 1 : 0;
        if (conflicts > 0 && conflicts < CONFLICTS) return;
        state = "failing";
        onFailure(thrown);
      })
      .finally(() => {
        underway = null;
      });
  }, everyMs);
  return {
    state: () => state,
    restored: () => restored,
    look,
    stop: async () => {
      clearInterval(timer);
      await underway;
    },
  };
}
