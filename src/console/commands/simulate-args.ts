import type { SimulateBody } from "../contract/simulation.ts";

/** The options of `landfall simulate` for a form. Each value is one argument, so a text is never read as an option. Pure. */
export function simulateArgs(asked: SimulateBody, plots: string): string[] {
  const { jobs, seed, shift, duration, slack, waitingCost, frontier, maxPauses, knownHours } = asked;
  return [
    ...["simulate", "--output=json", `--jobs=${String(jobs)}`, `--seed=${String(seed)}`, `--shift=${shift}`],
    ...[`--duration=${duration}`, `--slack=${slack}`, `--known-hours=${String(knownHours)}`, `--plots=${plots}`],
    ...(waitingCost === null ? [] : [`--waiting-cost=${String(waitingCost)}`]),
    ...(frontier === "" ? [] : [`--frontier=${frontier}`]),
    ...(maxPauses === 0 || shift !== "time" ? [] : [`--max-pauses=${String(maxPauses)}`]),
  ];
}

/** The options of `landfall impact` for two references; the bundle that the webhook follows if `against` is empty. Pure. */
export const impactArgs = (
  { bundle, against }: { bundle: string; against: string },
  {
    kubeconfig,
    systemNamespace,
    registry,
  }: { kubeconfig: string; systemNamespace: string; registry: readonly string[] },
): string[] => [
  ...["impact", "--output=json", `--bundle=${bundle}`, `--kubeconfig=${kubeconfig}`, ...registry],
  ...[`--system-namespace=${systemNamespace}`, ...(against === "" ? [] : [`--against=${against}`])],
];
