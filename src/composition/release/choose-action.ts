import type { Revision } from "../helm/release-storage.ts";
import { RELEASE_LABEL } from "../keys.ts";
import { isNews } from "./awaited-marks.ts";

export type Action =
  | { do: "nothing" }
  | { do: "install" }
  | { do: "upgrade"; reason: string }
  /** Helm ended before it finished: that revision failed. Then choose again. */
  | { do: "recover"; secret: string }
  | { do: "wait"; ms: number };

export interface ActionInput {
  /** Newest first. */
  revisions: Revision[];
  /** Digest of the desired values and chart. */
  inputs: string;
  /** Marks of the awaited values that are available; null if none is, or if the release awaits nothing. */
  awaited: string | null;
  /** A description of the drift; null for none. */
  drift: string | null;
  /** Seconds since 1970. */
  nowSeconds: number;
}

/** Seconds for which a pending revision may still belong to a helm that outlived its controller. */
const PENDING_SECONDS = 15;

/** The action that helm has to take. Pure; the only place that decides why a release is upgraded. */
export function chooseAction({ revisions, inputs, awaited, drift, nowSeconds }: ActionInput): Action {
  const last = revisions[0];
  if (!last || last.status === "uninstalled") return { do: "install" };
  if (last.status.startsWith("pending-")) {
    const left = last.createdAt + PENDING_SECONDS - nowSeconds;
    return left > 0 ? { do: "wait", ms: Math.ceil(left * 1000) } : { do: "recover", secret: last.secret };
  }
  if (last.status !== "deployed") return { do: "upgrade", reason: `the last revision is ${last.status}` };
  if (last.labels[RELEASE_LABEL.inputs] !== inputs) return { do: "upgrade", reason: "values or chart changed" };
  if (awaited !== null && isNews(awaited, last.labels[RELEASE_LABEL.awaited])) {
    return { do: "upgrade", reason: "an awaited value is available" };
  }
  return drift === null ? { do: "nothing" } : { do: "upgrade", reason: drift };
}
