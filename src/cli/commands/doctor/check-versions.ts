import { type Finding, fine, type RunningProcess, wrong } from "./finding.ts";

const CHECK = "versions";

/** Whether all processes run one version. An older controller does not know all that a newer webhook writes, and has other rights. */
export function checkVersions(running: readonly RunningProcess[]): Finding {
  const versions = [...new Set(running.map(({ version }) => version))];
  const [first] = versions;
  if (first === undefined) return fine(CHECK, "not known: no process reports one");
  if (versions.length === 1 && first !== "") return fine(CHECK, `all processes run ${first}`);
  const each = running.map(({ name, version }) => `${name} runs ${version === "" ? "an earlier one" : version}`);
  return wrong(
    CHECK,
    each.join(", "),
    "if no upgrade is underway, upgrade the chart and the image together, and look at Pods that are not replaced: docs/operations/lifecycle.md#upgrade",
  );
}
