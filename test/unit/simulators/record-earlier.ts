// Records what the simulators of an earlier commit answer to the recorded steps of test/fixtures/operators:
//   mkdir DIR && git archive cff773f src | tar x -C DIR && ln -s $PWD/node_modules DIR/node_modules
//   node test/unit/simulators/record-earlier.ts DIR > test/fixtures/operators/earlier-simulators.json
import { pathToFileURL } from "node:url";
import { join, resolve } from "node:path";
import { messageOf } from "../../../src/errors.ts";
import type { Family, KindRule, Phase, Resource } from "../../../src/local/simulators/types.ts";
import { phaseOf, resourceOf, simulated } from "./recorded-steps.ts";
import { lookupIn } from "./resources.ts";

/** What these families have in common with the present ones. */
type Earlier = Pick<Family, "refusal"> & { name: string; kinds: readonly KindRule[] };
type NextStatus = (
  subject: { resource: Resource; family: Earlier; rule: KindRule },
  lookup: ReturnType<typeof lookupIn>,
  phase: Phase,
  nowMs: number,
) => { conditions?: unknown } | null;

const [folder = ""] = process.argv.slice(2);
const load = async <Module>(name: string): Promise<Module> =>
  (await import(pathToFileURL(join(resolve(folder), "src/local/simulators", name)).href)) as Module;

const families: Readonly<Record<string, Earlier>> = {
  ...(await load<Record<"ack", Earlier>>("ack.ts")),
  ...(await load<Record<"aso", Earlier>>("aso.ts")),
  ...(await load<Record<"kcc", Earlier>>("kcc.ts")),
};
const { nextStatus } = await load<{ nextStatus: NextStatus }>("next-status.ts");

/** The conditions that they write for a step; or why they write none, such as a phase that they do not know. */
function answer({ operator, family, kind, phase }: (typeof simulated)[number]): unknown {
  const earlier = families[operator];
  const rule = earlier?.kinds.find((one) => one.kind === kind);
  if (earlier === undefined || rule === undefined) return `no ${kind}`;
  const resource = resourceOf(family, kind, phase);
  try {
    // Its words of a refusal are its own.
    const own = { ...family, refusal: earlier.refusal };
    const now = Date.parse("2026-11-21T10:00:00Z");
    const status = nextStatus({ resource, family: earlier, rule }, lookupIn([]), phaseOf(phase, own, kind), now);
    return status?.conditions ?? "no conditions";
  } catch (thrown) {
    return `an error: ${messageOf(thrown)}`;
  }
}

const answers = simulated.map((step) => {
  const { operator, name, at, phase } = step;
  return { operator, name, at, phase, conditions: answer(step) };
});
const about =
  "What the simulators of cff773f, from before they followed docs/internals/operators.md, write for the recorded steps of the other files " +
  "in this folder. Made by test/unit/simulators/record-earlier.ts; a text stands for no conditions.";
console.log(JSON.stringify({ about, answers }, null, 1));
