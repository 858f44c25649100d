import { renderTemplate, type ScaffoldFile } from "./render-template.ts";
import { requireName } from "./require-name.ts";

/** Template -> path below the folder of the policies. */
const FILES = (name: string): readonly (readonly [template: string, path: string])[] => [
  ["policy.rego", `bundle/landfall/custom/${name}.rego`],
  ["policy_test.rego", `bundle/landfall/custom/${name}_test.rego`],
  ["allowed.case.yaml", `tests/${name}/allowed.case.yaml`],
  ["denied.case.yaml", `tests/${name}/denied.case.yaml`],
];

/**
 * A package below landfall.custom with its test and two cases, for the folder with bundle/ and tests/. The rule starts
 * with an unlikely tag, so that it denies nothing at first. Throws CLI_SCAFFOLD_NAME.
 */
export async function policyFiles(name: string): Promise<ScaffoldFile[]> {
  const values = { name: requireName("policy", name), code: `TEAM_${name.toUpperCase()}` };
  return Promise.all(
    FILES(name).map(async ([template, path]) => ({ path, body: await renderTemplate(`policy/${template}`, values) })),
  );
}
