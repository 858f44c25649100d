import type { PolicyInput } from "../model/policy.ts";

/** What the rules of teams are asked about: the input without the objects of other namespaces, which the platform's rules see. */
export function forTeams(input: PolicyInput): PolicyInput {
  const { facts, metadata } = input;
  if (facts === null) return input;
  const sameVmName = facts.sameVmName.filter(({ namespace }) => namespace === metadata.namespace);
  return { ...input, facts: { ...facts, sameVmName } };
}
