import type { BundleStore } from "../../src/bundle/bundle-store.ts";
import type { OtherOptions } from "../../src/bundle/follow/bundle-set.ts";
import type { BundleSource } from "../../src/bundle/open-source.ts";
import type { Rollout } from "../../src/bundle/read-settings.ts";
import type { NamespaceData } from "../../src/model/kubernetes.ts";
import type { LandfallError } from "../../src/errors.ts";
import type { BundleIdentity } from "../decisions/messages.ts";
import type { FatalRequest } from "../decisions/pending.ts";
import type { OwnerOf } from "../../src/external-data/sample-fairly.ts";
import type { Canaries } from "./ask-canaries.ts";
import type { BundleEvent } from "./bundle-status.ts";
import type { TeamStrikes } from "../../src/bundle/follow/team-strikes.ts";
import type { StartProcess } from "./processes.ts";

/** The input of `BundleWatch`. */
export interface WatchOptions {
  source: BundleSource;
  store: BundleStore;
  rollout: Rollout;
  others?: readonly OtherOptions[];
  start: StartProcess;
  canaries: Canaries;
  /** Whose namespaces are; each is an owner of its own if omitted. */
  ownerOf?: OwnerOf;
  /** Reviews that were denied lately; none if omitted. */
  refused?: () => readonly string[];
  /** A namespace's data; null while they are not known. Those of none are known if omitted. */
  namespaceOf?: (name: string) => NamespaceData | null;
  /** Called with the request that ended a process, before the process is restarted. */
  onFatalRequest?: (fatalRequest: FatalRequest, error: LandfallError) => void;
  /** Called when the rules of a team are given up because they ended processes. */
  onRulesGone?: (team: string) => void;
  /** Called when the rules of a team are replaced by other ones. */
  onRulesReplaced?: (team: string) => void;
  /** Strikes of teams, also those of earlier processes; only of this one if omitted. */
  strikes?: TeamStrikes;
  /** Called for each bundle that becomes active. */
  onActive: (bundle: BundleIdentity) => void;
  onEvent: (event: BundleEvent, fields: Record<string, unknown>) => void;
  /** Ms since 1970. */
  nowMs: () => number;
  /** 0 to 1 */
  random: () => number;
}
