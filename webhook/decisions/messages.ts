import type { ErrorCode, ErrorParams } from "../../src/errors.ts";
import type { ClusterEvent } from "../../src/external-data/cluster-data.ts";
import type { Advice, SchedulerQuestion } from "../../src/model/advice.ts";
import type { ForecastBook } from "../../src/model/forecast.ts";
import type { OtherIdentity } from "../../src/model/bundle-format/other-bundle.ts";
import type { OtherTarball } from "../../src/policy/load-bundles.ts";
import type { CompiledPolicy } from "../../src/policy/loaded-bundle.ts";
import type { Trust } from "../../src/bundle/signature/trust.ts";
import type { Reply, ReviewPath } from "../review/answer-review.ts";
import type { SmokeReport } from "./run-smoke.ts";

/** A bundle beside the platform's, with who may have signed its files. */
export interface OtherInThread extends OtherTarball {
  trust: Trust;
  signed: boolean;
}

/** What the thread is started with. */
export interface ThreadData {
  /** The bundle's tarball. */
  bytes: Uint8Array;
  ref: string;
  /** The policies of an earlier bundle: where these are the same, a new thread answers as fast as the old one at once. */
  compiled: CompiledPolicy | null;
  /** Secret of the seals. */
  signingKey: Uint8Array;
  /** Who may have signed the files of the bundle, and whether a signature of its image vouches for them already. */
  trust: Trust;
  signed: boolean;
  /** The bundles that decide together with it. */
  others: readonly OtherInThread[];
  /** Names of bundles that are set up, may be missing, and are. */
  absent: readonly string[];
  /** What is known of the cluster so far. */
  events: readonly ClusterEvent[];
  /** What is known of the coming hours; null where no source of forecasts is set up. */
  forecasts: ForecastBook | null;
  /** Whether an external scheduler is asked. */
  consults: boolean;
  /** What names this process in the decision log; null where there is none. */
  logLabels: Record<string, string> | null;
}

/** A bundle as its thread describes it. */
export interface BundleIdentity {
  ref: string;
  /** `sha256:…` of the tarball. */
  digest: string;
  revision: string;
  /** What it said to its own smoke inputs. */
  smoke: SmokeReport;
  /** Who signed its files; empty where nobody did. */
  signers: string[];
  /** The electricity zones that feed its places. */
  zones: string[];
  /** The bundles that decide together with it. */
  others: readonly OtherIdentity[];
}

/** What a thread is told while it answers. */
export type ToldEvent = ClusterEvent | { type: "forecasts"; book: ForecastBook };

export type ToThread =
  | { type: "ask"; id: number; path: ReviewPath; body: string; quiet: boolean }
  | { type: "advice"; id: number; advice: Advice }
  | { type: "event"; event: ToldEvent };

export type FromThread =
  | { type: "ready"; bundle: BundleIdentity; compiled: CompiledPolicy }
  | { type: "failed"; code: ErrorCode; params: ErrorParams }
  | { type: "consult"; id: number; question: SchedulerQuestion }
  | { type: "reply"; id: number; reply: Reply; reserved: ClusterEvent | null; event: string | null };
