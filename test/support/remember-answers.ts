import type { PolicyInput, PolicyResult } from "../../src/model/policy.ts";
import type { LoadedBundle } from "../../src/policy/loaded-bundle.ts";

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

/**
 * The same policy, which evaluates each input once: most of what a decision costs is the module, and tests that decide the
 * same objects in several ways ask it the same questions. Its answers are frozen, so that nothing changes one for a later question.
 */
export function rememberAnswers(policy: LoadedBundle): LoadedBundle {
  const answers = new Map<string, PolicyResult>();
  const evaluate = (input: PolicyInput): PolicyResult => {
    const question = JSON.stringify(input);
    const answer = answers.get(question) ?? frozen(policy.evaluate(input));
    answers.set(question, answer);
    return answer;
  };
  return { ...policy, evaluate };
}
