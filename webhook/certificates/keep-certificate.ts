import { authoritiesIn, fingerprintsIn, issuersOf, joinAuthorities, leafIn } from "./authorities.ts";
import type { CertificateSource, RotationStatus } from "./certificate-secret.ts";
import { followTrust } from "./follow-trust.ts";
import type { ReplicaReports } from "./replica-reports.ts";
import type { ServingCertificate } from "./serving-certificate.ts";
import type { ReplicaReport, ReplicaState } from "../../src/model/replica-report.ts";
import { VERSION } from "../../src/model/names.ts";

/** The PEM text in each webhook configuration; null for one that does not exist. */
export type Bundles = readonly (string | null)[];

export interface KeepOptions {
  first: ServingCertificate;
  /** Null if the first is the only one. */
  source: CertificateSource | null;
  /** Null if this process is the only one. */
  reports: ReplicaReports | null;
  /** Whether this process registers itself, so that the API server's trust can be compared. */
  registers: boolean;
  nowMs: () => number;
  /** Ms of a clock that is never set. */
  elapsedMs: () => number;
  /** So many ms after a replica sees a change of a configuration, every API server has followed. */
  settleMs?: number;
  /** Null: the certificate is trusted again. */
  onProblem: (problem: string | null) => void;
  onFailure: (thrown: unknown) => void;
}

export interface KeptCertificate {
  /** The CAs that a webhook configuration names: has to (`needed`), and may for some seconds (`tolerated`). PEM. */
  authorities(): { needed: string; tolerated: string };
  /** Reads the certificate again, tells the others, and serves it once the API server trusts it. */
  look(bundles: Bundles): Promise<void>;
  /** The configurations were written after `look`; `lost`: someone had taken a CA out. */
  compare(bundles: Bundles, lost?: boolean): void;
  /** Calls back with each later certificate that is to be served. */
  follow(onServe: (next: ServingCertificate) => void): void;
  /** Has the report name this state from now on. */
  tell(state: () => ReplicaState): void;
  /** Why the API server does not trust this replica; null if it does. */
  problem(): string | null;
  /** For /status and metrics. */
  status(): {
    validUntil: string;
    rotation: RotationStatus | null;
    replicas: Record<string, Omit<ReplicaReport, "authorities">>;
  };
  stop(): Promise<void>;
}

const SETTLE_MS = 10_000;
/** Without a look for so many ms, a replica cannot know what the API server trusts. Others take it for gone after five minutes. */
const UNSEEN_MS = 180_000;

/** The fingerprints that are in all of them; null if there is none to compare with. */
function inEvery(bundles: Bundles): Set<string> | null {
  const [first, ...rest] = bundles.filter((one) => one !== null).map(fingerprintsIn);
  return first === undefined ? null : new Set(first.filter((one) => rest.every((other) => other.includes(one))));
}

const describe = ({ step, since, waits }: RotationStatus): string =>
  `${step} since ${since}${waits === "" ? "" : `, waits ${waits}`}`;

const isSame = (one: ServingCertificate, other: ServingCertificate): boolean =>
  one.cert === other.cert && one.key === other.key;

/** Does a part of a look. Its failure does not stop the others: what the configurations name is judged in any case. */
const attempting =
  (onFailure: KeepOptions["onFailure"]) =>
  async <T>(work: () => Promise<T>): Promise<{ done: T } | null> => {
    try {
      return { done: await work() };
    } catch (thrown) {
      onFailure(thrown);
      return null;
    }
  };

/**
 * Serves a certificate that follows its source. A replica serves a new one only when it sees, through the API server, that every
 * webhook configuration names its CA; and the configurations name every CA that a replica serves by or is about to.
 */
export function keepCertificate(options: KeepOptions): KeptCertificate {
  const { source, reports, registers, nowMs, elapsedMs, settleMs = SETTLE_MS } = options;
  const attempt = attempting(options.onFailure);
  let served = options.first;
  let wanted = options.first;
  let problem: string | null = registers
    ? "its certificate was not compared with the webhook configurations yet"
    : null;
  let replicas: ReadonlyMap<string, ReplicaReport> = new Map();
  let onServe: (next: ServingCertificate) => void = () => undefined;
  let state = (): ReplicaState => ({ version: VERSION, bundle: "", problem: problem ?? "" });
  let rotation: RotationStatus | null = null;
  const trust = followTrust({ elapsedMs, settleMs });
  /** How often this replica put back a CA. */
  let restores = 0;
  let wasReady = false;
  /** When this replica last saw the configurations, or began. Elapsed ms. */
  let sawAt = elapsedMs();
  /** When a CA was last needed. Elapsed ms. */
  const needed = new Map<string, { pem: string; at: number }>();
  let step = { name: "", at: elapsedMs() };

  const ownReport = (sees: ReadonlySet<string> | null) => ({
    ...state(),
    serves: leafIn(served.cert).fingerprint256,
    until: leafIn(served.cert).validToDate.toISOString(),
    authorities: ownAuthorities(),
    sees: [...(sees ?? [])].sort(),
    restores,
    rotation: rotation === null ? "" : describe(rotation),
  });

  const ownAuthorities = (): string => joinAuthorities(wanted.ca, issuersOf(served.cert, served.ca));
  const allAuthorities = (): string =>
    joinAuthorities(ownAuthorities(), ...[...replicas.values()].map(({ authorities }) => authorities));

  /** A CA that is needed no more is tolerated for some seconds: an entry that someone removed comes back within seconds. */
  function noteNeed(): void {
    const at = elapsedMs();
    for (const one of authoritiesIn(allAuthorities())) needed.set(one.fingerprint256, { pem: one.toString(), at });
    for (const [one, { at: last }] of needed) if (at - last > settleMs) needed.delete(one);
  }

  const issuedBy = (certificate: ServingCertificate): string[] =>
    fingerprintsIn(issuersOf(certificate.cert, certificate.ca));

  const hasSettled = (certificate: ServingCertificate): boolean => issuedBy(certificate).some(trust.isSettled);

  /** Whether every API server trusts the wanted certificate, or the served one is useless. */
  function mayServe(common: ReadonlySet<string> | null): boolean {
    if (common === null) return true;
    const isTrusted = issuedBy(wanted).some((one) => common.has(one));
    return hasSettled(wanted) || (isTrusted && whyUntrusted(common) !== null);
  }

  function whyUntrusted(common: ReadonlySet<string> | null): string | null {
    const { validToDate } = leafIn(served.cert);
    if (validToDate.getTime() <= nowMs()) return `its certificate expired at ${validToDate.toISOString()}`;
    if (common === null) return null;
    if (!issuedBy(served).some((one) => common.has(one)))
      return "the webhook configurations do not name the CA of its certificate";
    // A new replica that brings a new CA waits while others answer.
    const waits = !wasReady && replicas.size > 1 && !hasSettled(served);
    return waits ? "the webhook configurations name the CA of its certificate for a few seconds only" : null;
  }

  function judge(common: ReadonlySet<string> | null): void {
    const now = whyUntrusted(common);
    if (now !== problem) options.onProblem(now);
    problem = now;
    wasReady ||= now === null;
  }

  /** A replica that the API server does not answer: the others may replace the CA without it. */
  function whyUnseen(): string | null {
    const unseen = elapsedMs() - sawAt;
    if (replicas.size < 2 || unseen < UNSEEN_MS) return null;
    return `it could not read the webhook configurations for ${String(Math.floor(unseen / 1000))} s: whether they still name its CA is not known`;
  }

  /** Reads the reports of all. False if the others do not see the own one. Throws if they were never read: nothing is registered before. */
  async function exchange(others: ReplicaReports, common: ReadonlySet<string> | null): Promise<boolean> {
    const swap = () => others.exchange(ownReport(common));
    const exchanged = replicas.size === 0 ? { done: await swap() } : await attempt(swap);
    if (exchanged === null) return false;
    replicas = exchanged.done.reports;
    if (exchanged.done.failure !== null) options.onFailure(exchanged.done.failure);
    return exchanged.done.failure === null;
  }

  /** Whose CAs these are is not known without the reports: none is taken out. */
  function keepAll(bundles: Bundles): void {
    const at = elapsedMs();
    for (const one of authoritiesIn(bundles.join(""))) needed.set(one.fingerprint256, { pem: one.toString(), at });
  }

  async function advance(bundles: Bundles): Promise<void> {
    if (source?.advance === undefined || reports === null) return;
    const name = source.step?.() ?? "";
    if (name !== step.name) step = { name, at: elapsedMs() };
    rotation = await source.advance({
      configurations: bundles.filter((one) => one !== null).map(fingerprintsIn),
      replicas: [...replicas].map(([one, { serves, sees }]) => ({ name: one, serves, sees })),
      settled: elapsedMs() - step.at >= settleMs && fingerprintsIn(wanted.ca).every(trust.isSettled),
    });
  }

  return {
    authorities: () => ({
      needed: allAuthorities(),
      tolerated: [...needed.values()].map(({ pem }) => pem).join(""),
    }),
    async look(bundles) {
      sawAt = elapsedMs();
      const common = inEvery(bundles);
      trust.see(common);
      const read = source === null ? null : await attempt(() => source.read());
      if (read !== null) wanted = read.done;
      const isSeen = reports !== null && (await exchange(reports, common));
      if (reports !== null && !isSeen) keepAll(bundles);
      trust.noteRestores([...replicas.values()].reduce((sum, one) => sum + one.restores, 0));
      if (isSame(wanted, served)) served = wanted;
      else if (mayServe(common)) {
        served = wanted;
        onServe(served);
      }
      judge(common);
      noteNeed();
      // A replica whose report the others do not see, or that does not see theirs, takes no step.
      if (isSeen) await attempt(() => advance(bundles));
    },
    compare(bundles, lost = false) {
      if (lost) restores += 1;
      const common = inEvery(bundles);
      trust.see(common);
      judge(common);
    },
    follow(listener) {
      onServe = listener;
    },
    tell(next) {
      state = next;
    },
    problem: () => problem ?? whyUnseen(),
    status: () => ({
      validUntil: leafIn(served.cert).validToDate.toISOString(),
      rotation,
      replicas: Object.fromEntries([...replicas].map(([name, { authorities: _, ...report }]) => [name, report])),
    }),
    stop: async () => {
      await reports?.remove();
    },
  };
}
