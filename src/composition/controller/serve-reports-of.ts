import type { Composition } from "../context/composition-context.ts";
import type { Runs } from "../record/open-runs.ts";
import { keepServing } from "../report/keep-serving.ts";
import type { ControllerOptions } from "./controller.ts";

interface Reported extends Pick<ControllerOptions, "reports" | "keys" | "log"> {
  runs: Runs;
  list: () => Composition[];
  reconcileNow: (key: string) => void;
}

/** The listener of machines that report their completion, if there is to be one. */
export function serveReportsOf({ reports, keys, log, runs, list, reconcileNow }: Reported): () => Promise<void> {
  if (reports === null || keys === null) return () => Promise.resolve();
  const onReport = (uid: string): void => {
    const reported = list().find(({ object }) => object.metadata.uid === uid);
    if (reported !== undefined) reconcileNow(reported.key);
  };
  return keepServing({ options: reports, runs, ring: keys, onReport, log });
}
