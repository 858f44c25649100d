import type {
  ClusterRequest,
  ImageVolumeRequest,
  MachineShape,
  NetworkRequest,
  Place,
  VmRequest,
  VolumeRequest,
} from "../api/types.ts";
import type { Attempts } from "../types.ts";

/** The Ready condition. `Error`: until the object changes; `Warning`: is retried; `Info`: in progress. */
export interface Saying {
  readonly severity: "Error" | "Warning" | "Info";
  readonly reason: string;
  readonly message: string;
}

/** A resource to create at Elemento, under a name unique to this object. */
export type Create =
  | { readonly what: "network"; readonly request: NetworkRequest }
  | { readonly what: "volume"; readonly request: VolumeRequest }
  | { readonly what: "image"; readonly request: ImageVolumeRequest }
  /** Its user data may come from Secrets, which only the operator's edge reads. */
  | { readonly what: "cloud-init"; readonly request: { name: string; place: Place; private: boolean } }
  | { readonly what: "machine"; readonly request: VmRequest }
  | { readonly what: "cluster"; readonly request: ClusterRequest };

export interface Thing {
  readonly what: "machine" | "volume" | "network" | "cluster";
  readonly id: string;
}

export type Step =
  | { readonly do: "claim" }
  | { readonly do: "release" }
  | { readonly do: "nothing" }
  | { readonly do: "quote-machine"; readonly shape: MachineShape; readonly provider?: string; readonly region?: string }
  | { readonly do: "quote-cluster"; readonly request: ClusterRequest }
  | { readonly do: "create"; readonly things: readonly Create[]; readonly say: Saying }
  | { readonly do: "feed"; readonly volumeId: string; readonly metaData: string }
  | { readonly do: "remove"; readonly things: readonly Thing[]; readonly say: Saying; readonly duplicates?: true }
  | { readonly do: "start" | "stop"; readonly id: string }
  | { readonly do: "kubeconfig"; readonly id: string }
  | { readonly do: "wait"; readonly say: Saying; readonly lookAgainMs: number }
  | { readonly do: "refuse"; readonly say: Saying }
  /** `lookAgainMs` is null if the usual resync is soon enough. */
  | {
      readonly do: "rest";
      readonly reason: string;
      readonly message: string;
      readonly lookAgainMs: number | null;
      readonly drift: readonly string[];
    };

/** The next step, and observed values for the status. */
export interface Decision {
  readonly step: Step;
  readonly seen: Readonly<Record<string, unknown>>;
  /** Attempts that are still open. */
  readonly attempts: Attempts;
}

export const info = (reason: string, message: string): Saying => ({ severity: "Info", reason, message });
export const warning = (reason: string, message: string): Saying => ({ severity: "Warning", reason, message });
export const refusal = (reason: string, message: string): Step => ({
  do: "refuse",
  say: { severity: "Error", reason, message },
});

/** Ms until the next look at a resource that Elemento is working on. */
export const SOON_MS = 1000;
export const wait = (say: Saying, lookAgainMs = SOON_MS): Step => ({ do: "wait", say, lookAgainMs });
