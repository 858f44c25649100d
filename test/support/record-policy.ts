import type { PolicyResult } from "../../src/model/policy.ts";
import type { LoadedBundle } from "../../src/policy/loaded-bundle.ts";

/** A policy that remembers its first answer: later ones are about remedies. */
export function recordPolicy(policy: LoadedBundle): { policy: LoadedBundle; first: () => PolicyResult | undefined } {
  let found: PolicyResult | undefined;
  const evaluate: LoadedBundle["evaluate"] = (input) => {
    const answer = policy.evaluate(input);
    found ??= answer;
    return answer;
  };
  return { policy: { ...policy, evaluate }, first: () => found };
}
