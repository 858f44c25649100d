import type { Revision } from "../helm/release-storage.ts";
import { RELEASE_LABEL } from "../keys.ts";

export type Action =
  | { do: "nothing" }
  | { do: "install" }
  | { do: "upgrade"; reason: string }
  /** Helm was ended in the middle: forget that revision, then choose anew. */
  | { do: "recover"; secret: string }
  | { do: "wait"; ms: number };

export interface ActionInput {
  /** Newest first. */
  revisions: Revision[];
  /** Digest over values and chart as they are wanted. */
  inputs: string;
  /** Digest over the awaited values that are there; null where the release awaits nothing or nothing came yet. */
  awaited: string | null;
  /** What differs from the release, in words; null where nothing does. */
  drift: string | null;
  /** Seconds since 1970. */
  nowSeconds: number;
}

/** How long a pending revision may still belong to a helm that runs, after the controller itself died: seconds. */
const PENDING_SECONDS = 15;

/** What helm has to do. Pure; the one place that knows why a release is upgraded. */
export function chooseAction({ revisions, inputs, awaited, drift, nowSeconds }: ActionInput): Action {
  const last = revisions[0];
  if (!last || last.status === "uninstalled") return { do: "install" };
  if (last.status.startsWith("pending-")) {
    const left = last.createdAt + PENDING_SECONDS - nowSeconds;
    return left > 0 ? { do: "wait", ms: Math.ceil(left * 1000) } : { do: "recover", secret: last.secret };
  }
  if (last.status !== "deployed") return { do: "upgrade", reason: `the last revision is ${last.status}` };
  if (last.labels[RELEASE_LABEL.inputs] !== inputs) return { do: "upgrade", reason: "values or chart changed" };
  if (awaited !== null && last.labels[RELEASE_LABEL.awaited] !== awaited) {
    return { do: "upgrade", reason: "a value that was awaited is there" };
  }
  return drift === null ? { do: "nothing" } : { do: "upgrade", reason: drift };
}
