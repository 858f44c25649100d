import type { ApplyCall, HelmCall, ReleaseCall } from "./calls.ts";

/** Revisions of a release that helm keeps. */
export const HISTORY_MAX = 5;

function applyArguments({ verb, namespace, release, chart, labels }: ApplyCall): string[] {
  const marks = Object.entries(labels).map((label) => label.join("="));
  // Hooks would run what no record holds, and CRDs belong to the whole cluster.
  const common = ["--namespace", namespace, "-f", "-", "--labels", marks.join(), "--no-hooks", "--skip-crds"];
  // Takes back fields that another client set. helm and observeLost check the owner of whole resources before.
  const apply = ["--server-side=true", "--force-conflicts"];
  // `upgrade --install` reads the history, which is known here: a plain install takes a quarter less time.
  const extra = verb === "upgrade" ? ["--history-max", String(HISTORY_MAX), "--reset-values"] : [];
  return [verb, release, chart.directory, ...common, ...apply, ...extra];
}

/** The call of helm's program. `tools/helm-worker/helm.go` has the same settings. */
export function commandOf(call: ReleaseCall): HelmCall {
  if (call.verb !== "uninstall") return { args: applyArguments(call), input: JSON.stringify(call.values) };
  const { release, namespace } = call;
  return { args: ["uninstall", release, "--namespace", namespace, "--ignore-not-found", "--no-hooks"] };
}
