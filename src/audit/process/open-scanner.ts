import { packed } from "../../bundle/signature/packed-trust.ts";
import { LandfallError } from "../../errors.ts";
import type { SettingNames } from "../../model/places/catalog.ts";
import type { Workload } from "../../model/workload.ts";
import type { Environment } from "../../policy/process/open-process.ts";
import { teamNames } from "../../policy/process/watch-teams.ts";
import { openWatched, type ProcessEnd } from "../../policy/process/watched-process.ts";
import type { Finding } from "../finding.ts";
import type { FromScan, ScanBundles, ScanData } from "./messages.ts";

/** How long loading and the audit of one object may take, in ms: as in the webhook. */
const SCAN_LIMITS = { loadMs: 30_000, decisionMs: 4_000 };

/** The result for some objects: their findings, in their order, or the end of the process. */
type Answer = { findings: (Finding | null)[] } | { end: ProcessEnd };

/** A process that audits objects with one set of bundles. */
export interface Scanner {
  /** The digest of the platform's tarball. */
  digest: string;
  /** The electricity zones of its regions. */
  zones: string[];
  /** The names that settings of namespaces can have. */
  settingNames: SettingNames;
  begin(data: ScanData): void;
  /** In an end, `request` is the index of the object to blame. */
  audit(objects: readonly Workload[]): Promise<Answer>;
  /** Ends the process, which frees all of its memory. */
  stop(): void;
}

export interface ScannerOptions {
  /** The environment of this process; the new one gets little of it. All of it if omitted. */
  env?: Environment | undefined;
  limits?: { loadMs: number; decisionMs: number };
  /** Says whether the rules of a team that took so long (ms of processor time) are to be given up. */
  isTooSlow?: (team: string, namespace: string, ms: number) => boolean;
}

const tooSlow = (bundle: string): LandfallError =>
  new LandfallError("POL_TEAM", { bundle, detail: "they take too much processor time" });

/** Starts a process with these bundles. Rejects with BUNDLE_…, POL_TEAM or ADM_… if they cannot be loaded. */
export function openScanner(bundles: ScanBundles, options: ScannerOptions = {}): Promise<Scanner> {
  const { env, limits = SCAN_LIMITS, isTooSlow = () => false } = options;
  const ready = Promise.withResolvers<Scanner>();
  let end: ProcessEnd | null = null;
  let answer: ((answer: Answer) => void) | null = null;
  const child = openWatched<FromScan>(packed(bundles), {
    entry: new URL("scan-process.ts", import.meta.url),
    ...{ teams: teamNames(bundles.others), env, limits },
    onMessage: take,
    onEnd: finish,
  });

  function finish(ending: ProcessEnd): void {
    end = ending;
    ready.reject(ending.error);
    answer?.({ end: ending });
  }

  function take(message: FromScan): void {
    if (message.type === "findings") answer?.(message);
    else if (message.type === "ready") ready.resolve({ ...message, ...scanner });
    else if (isTooSlow(message.team, message.namespace, message.ms)) {
      child.stop();
      finish({ error: tooSlow(message.team), request: null, ofBundle: true, ofMemory: false });
    }
  }

  const scanner: Omit<Scanner, "digest" | "zones" | "settingNames"> = {
    begin: (data) => {
      child.send({ type: "begin", ...data });
    },
    audit: (objects) =>
      new Promise((resolve) => {
        if (end !== null) {
          resolve({ end });
          return;
        }
        answer = resolve;
        child.send({ type: "audit", objects });
      }),
    stop: child.stop,
  };
  return ready.promise;
}
