import type { Api } from "./connect-api.ts";
import { applyObject } from "./apply-object.ts";
import type { ExampleResult } from "./example-types.ts";
import type { Examples } from "./read-examples.ts";
import { runExample } from "./run-example.ts";
import type { Narrator } from "./run-example.ts";

/** Longest time for all examples together. */
const LIMIT_SECONDS = 90;

/** Applies everything at once, as a team's pipeline would, and follows each object to its end. Errors: LOCAL_APPLY. */
export async function runExamples(
  api: Api,
  { foundations, examples }: Examples,
  narrator: Narrator,
): Promise<ExampleResult[]> {
  for (const object of foundations) await applyObject(api, object);
  const until = Date.now() + LIMIT_SECONDS * 1000;
  return Promise.all(examples.map(async (example) => runExample({ api, narrator, until }, example)));
}
