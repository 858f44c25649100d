import type { TeamStrikes } from "../bundle/follow/team-strikes.ts";
import type { TeamTimes } from "../bundle/follow/team-times.ts";
import type { OwnerOf } from "../external-data/sample-fairly.ts";
import { asLandfallError, LandfallError } from "../errors.ts";
import type { Workload } from "../model/workload.ts";
import { failedTeam } from "../policy/process/failed-team.ts";
import { failedFinding } from "./audit-safely.ts";
import type { Finding } from "./finding.ts";
import type { ScanBundles, ScanData } from "./process/messages.ts";
import { openScanner, type Scanner, type ScannerOptions } from "./process/open-scanner.ts";

/** Objects that are sent together. */
const GROUP = 50;
/** The rest of a namespace whose objects ended this many processes is not audited by this scan. */
const ENDS = 3;

/** A team whose rules a scan does without. */
export interface GivenUp {
  team: string;
  error: LandfallError;
}

export interface ScanApart {
  bundles: ScanBundles;
  data: ScanData;
  /** Digests of the teams' tarballs, by name. */
  digests: ReadonlyMap<string, string>;
  strikes: TeamStrikes;
  times: TeamTimes;
  /** Whose a namespace is: what one owner asks for does not cause a team to be given up. */
  ownerOf: OwnerOf;
  /** Ms since 1970. */
  nowMs: () => number;
  /** Of its processes. */
  process: Pick<ScannerOptions, "env" | "limits">;
  /** Called for each team that the scan then does without. */
  onGivenUp: (given: GivenUp) => void;
}

const namespaceOf = ({ metadata }: Workload): string => metadata.namespace ?? "default";

/** One scan with one set of bundles. */
class Attempt {
  readonly findings: Finding[] = [];
  readonly #options: ScanApart;
  readonly #ends = new Map<string, number>();
  #left: Workload[];
  #group = GROUP;
  #scanner: Scanner | null = null;
  /** A team whose rules take too much processor time. */
  #slow: string | null = null;

  constructor(objects: readonly Workload[], options: ScanApart) {
    this.#left = [...objects];
    this.#options = options;
  }

  /** Audits all objects; returns the team that has to be given up first, or null. Throws what no team is to blame for. */
  async run(): Promise<GivenUp | null> {
    try {
      for (;;) {
        const group = this.#left.slice(0, this.#group);
        if (group.length === 0) return null;
        const given = await this.#audit(group);
        if (given !== null) return given;
      }
    } finally {
      this.#scanner?.stop();
    }
  }

  async #audit(group: readonly Workload[]): Promise<GivenUp | null> {
    try {
      this.#scanner ??= await this.#open();
    } catch (thrown) {
      return this.#failedToLoad(asLandfallError(thrown));
    }
    const answer = await this.#scanner.audit(group);
    if ("findings" in answer) {
      this.findings.push(...answer.findings.filter((finding) => finding !== null));
      this.#left = this.#left.slice(group.length);
      return null;
    }
    this.#scanner.stop();
    this.#scanner = null;
    const { error, request } = answer.end;
    const fatalRequest = group[request ?? (group.length === 1 ? 0 : -1)];
    const team = failedTeam(error);
    if (team !== null && team === this.#slow) return this.#giveUp(team, error);
    // Objects too large for one message, or an error that one of several left behind: one by one, it is known which.
    if (fatalRequest === undefined) this.#group = 1;
    return fatalRequest === undefined ? null : this.#blame(fatalRequest, team, error);
  }

  async #open(): Promise<Scanner> {
    const { bundles, data, process, times, digests, nowMs, ownerOf } = this.#options;
    const scanner = await openScanner(bundles, {
      ...process,
      isTooSlow: (team, namespace, ms) => {
        const isSlow = times.add(digests.get(team) ?? team, { owner: ownerOf(namespace), ms, at: nowMs() });
        if (isSlow) this.#slow = team;
        return isSlow;
      },
    });
    scanner.begin(data);
    return scanner;
  }

  #failedToLoad(error: LandfallError): GivenUp {
    const team = failedTeam(error);
    if (team === null) throw error;
    return this.#giveUp(team, error);
  }

  #giveUp(team: string, error: LandfallError): GivenUp {
    const { digests, strikes, nowMs } = this.#options;
    strikes.giveUp(digests.get(team) ?? team, nowMs());
    return { team, error };
  }

  /** A process ended at this object, perhaps in the rules of a team. */
  #blame(object: Workload, team: string | null, error: LandfallError): GivenUp | null {
    const { digests, strikes, nowMs, ownerOf } = this.#options;
    const namespace = namespaceOf(object);
    if (team !== null && strikes.add(digests.get(team) ?? team, ownerOf(namespace), nowMs())) return { team, error };
    this.#fail([object], error);
    const count = (this.#ends.get(namespace) ?? 0) + 1;
    this.#ends.set(namespace, count);
    const rest = count < ENDS ? [] : this.#left.filter((other) => namespaceOf(other) === namespace);
    this.#fail(rest, new LandfallError("ADM_NOT_AUDITED", { namespace, count }));
    return null;
  }

  #fail(objects: readonly Workload[], error: LandfallError): void {
    const { nowSeconds } = this.#options.data;
    const failed = objects.map((object) => failedFinding(object, error, nowSeconds));
    this.findings.push(...failed.filter((finding) => finding !== null));
    const done = new Set(objects);
    this.#left = this.#left.filter((object) => !done.has(object));
  }
}

/**
 * Audits objects in processes of their own, which end with the scan. An object that ends a process, or for which it hangs, is a
 * finding with the error. A team whose rules do this again and again is given up, as in the webhook: the scan begins again
 * without it. Throws BUNDLE_…, ADM_….
 */
export async function scanApart(objects: readonly Workload[], options: ScanApart): Promise<Finding[]> {
  let { bundles } = options;
  for (;;) {
    const attempt = new Attempt(objects, { ...options, bundles });
    const given = await attempt.run();
    if (given === null) return attempt.findings;
    options.onGivenUp(given);
    bundles = { ...bundles, others: bundles.others.filter(({ expected }) => expected?.name !== given.team) };
  }
}
