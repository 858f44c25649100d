import type { ClusterEvent } from "../../src/external-data/cluster-data.ts";
import type { Advice, SchedulerRequest } from "../../src/model/advice.ts";
import type { Claim } from "../../src/external-data/ledger/ledger-entry.ts";
import type { ForecastBook } from "../../src/model/places/forecast.ts";
import type { OtherIdentity } from "../../src/model/bundle-format/other-bundle.ts";
import type { Announcement } from "../../src/policy/announcements.ts";
import type { OtherTarball } from "../../src/policy/load-bundles.ts";
import type { Trust } from "../../src/bundle/signature/trust.ts";
import type { Caller } from "../../src/model/caller.ts";
import type { Reply, ReviewPath } from "../review/answer-review.ts";

/** The result of a bundle's smoke tests. */
export interface SmokeReport {
  cases: number;
  /** CPU time of one decision; 0 without cases. */
  medianMs: number;
}

/** Another bundle than the platform's, with its trusted signers. */
export interface OtherInProcess extends OtherTarball {
  trust: Trust;
  signed: boolean;
}

/** The input of the process at its start. */
export interface ProcessData {
  /** The bundle's tarball. */
  bytes: Uint8Array;
  ref: string;
  /** The keys that verify decisions, newest first. The newest signs. */
  keys: readonly [Uint8Array, ...Uint8Array[]];
  /** Trusted signers of the bundle's files, and whether its image's signature was verified. */
  trust: Trust;
  signed: boolean;
  /** The bundles that decide together with it. */
  others: readonly OtherInProcess[];
  /** Names of optional bundles that are missing. */
  absent: readonly string[];
  /** The state of the cluster so far. */
  events: readonly ClusterEvent[];
  /** Forecasts of the coming hours; null without forecast sources. */
  forecasts: ForecastBook | null;
  /** Whether an external scheduler is asked. */
  consults: boolean;
  /** Labels of this process in the decision log; null without a decision log. */
  logLabels: Record<string, string> | null;
  /** Evaluations of a team's rules that take more processor time are reported, in ms. */
  slowMs: number;
  /** The label or annotation that names the owner of a namespace; each is one of its own if omitted. */
  owner?: string | undefined;
  /** Whether answers have the times of their stages; false if omitted. */
  traced?: boolean;
}

/** A bundle as its process describes it. */
export interface BundleIdentity {
  ref: string;
  /** `sha256:…` of the tarball. */
  digest: string;
  revision: string;
  /** The result of its smoke tests. */
  smoke: SmokeReport;
  /** Signers of its files; empty if they are not signed. */
  signers: string[];
  /** The electricity zones of its regions. */
  zones: string[];
  /** The bundles that decide together with it. */
  others: readonly OtherIdentity[];
}

/** Updates to a running process. */
export type ToldEvent =
  | ClusterEvent
  | { type: "forecasts"; book: ForecastBook }
  /** All teams whose rules must not be asked, because their bundles are too old. */
  | { type: "aside"; teams: readonly string[] }
  /** Newest first, as in `ProcessData`. */
  | { type: "keys"; keys: ProcessData["keys"] };

export type ToProcess =
  /**
   * `untilMs`, by uptimeMs: after it no one waits for the answer any more. `namespace` and `user`: whose turn it is; empty for the
   * webhook's own questions. `caller` is omitted if it was authenticated.
   */
  | {
      type: "ask";
      id: number;
      path: ReviewPath;
      body: string;
      quiet: boolean;
      untilMs: number;
      namespace: string;
      user: string;
      caller?: Caller;
      /** Another replica took what the first decision had counted on: decide now, without waiting for others. */
      again?: true;
    }
  | { type: "advice"; id: number; advice: Advice }
  | { type: "event"; event: ToldEvent };

/** The data for the comparison of a bundle with another one. */
export interface TrialInput {
  /** Reviews of the smoke inputs that the platform's bundle says it denies. */
  denies: string[];
  /** Changes that its settings announce. */
  announced: Announcement[];
  /** CPU time of one of the platform's smoke cases, in ms: by its own rules alone, and together with each team's. */
  times: { platformMs: number; teamsMs: Record<string, number> };
}

export type FromProcess =
  | { type: "ready"; bundle: BundleIdentity; trial: TrialInput }
  | { type: "consult"; id: number; request: SchedulerRequest }
  /** The rules of a team took long for a request of this namespace. */
  | { type: "slow"; team: string; namespace: string; ms: number }
  /** Not decided: it had waited too long. */
  | { type: "dropped"; id: number }
  | {
      type: "reply";
      id: number;
      reply: Reply;
      reserved: ClusterEvent | null;
      claim: Claim | null;
      event: string | null;
    };
