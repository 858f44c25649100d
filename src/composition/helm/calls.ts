export interface HelmCall {
  args: string[];
  /** The text for helm's standard input, e.g. values for `-f -`. */
  input?: string;
  /** Ms after which helm and what it started receive SIGTERM. */
  timeoutMs?: number;
  /** Ms after SIGTERM until they receive SIGKILL. */
  killAfterMs?: number;
  /** Bytes of memory at which it is killed. */
  maxMemory?: number;
}

export interface HelmResult {
  code: number;
  /** None if helm's program was called. */
  by?: "worker";
  stdout: string;
  stderr: string;
}

/** An installation or upgrade of a release. */
export interface ApplyCall {
  verb: "install" | "upgrade";
  namespace: string;
  release: string;
  chart: {
    /** Folder of the chart. */
    directory: string;
    /** Of the files in it. */
    digest: string;
  };
  values: Record<string, unknown>;
  /** Labels of the revision's Secret, besides helm's own. */
  labels: Record<string, string>;
}

export interface UninstallCall {
  verb: "uninstall";
  namespace: string;
  release: string;
}

/** A change of a release that helm is asked for: by its program or by a worker, with the same result. */
export type ReleaseCall = ApplyCall | UninstallCall;

/** The gateway's address, and the token that opens it for one call. */
export interface Access {
  server: string;
  token: string;
}

/** Helm by a process that stays, instead of one for each call. */
export interface HelmWorker {
  /** Null if helm's program is to be called instead: nothing was done. */
  perform(call: ReleaseCall, access: Access, timeoutMs: number): Promise<HelmResult | null>;
  /** The kinds of the API server have changed. */
  reset(): void;
  stop(): Promise<void>;
}
