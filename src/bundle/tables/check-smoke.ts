import { createRequire } from "node:module";
import { isObject } from "../../model/json.ts";
import type { Kind } from "../../model/names.ts";
import { type SchemaCheck, writtenCheck } from "../../model/schemas/compile-schema.ts";
import { inside, itemsOf, type SettingProblem } from "../../model/schemas/setting-problem.ts";
import { explainErrors } from "../../model/wrong-value/explain-errors.ts";
import { given } from "../../model/wrong-value/explain-value.ts";
import { dotted, type SchemaNode } from "../../model/wrong-value/schema-node.ts";

type Fields = Record<string, unknown>;

const CHECKS: Readonly<Record<Kind, readonly [check: SchemaCheck<unknown>, file: string]>> = {
  VmTemplate: [writtenCheck("vm-template-all-errors"), "vm-template"],
  KaasCluster: [writtenCheck("kaas-cluster-all-errors"), "kaas-cluster"],
};

const load = createRequire(import.meta.url);

/** Whether a case is about a spec that its schema takes: one that ends before the policy is denied with a code of ADM. */
const hasValidSpec = ({ allowed, code }: Fields): boolean =>
  allowed === true || (typeof code === "string" && !code.startsWith("ADM_"));

/** The fields of a case's spec that the kind does not take, so that the policy is never asked. */
function wrongSpec(field: string, one: Fields): SettingProblem[] {
  const { spec, kind = "VmTemplate" } = one;
  const [check, file] = CHECKS[kind === "KaasCluster" ? kind : "VmTemplate"];
  if (!hasValidSpec(one) || check(spec)) return [];
  const schema = load(`../../../schemas/${file}.schema.json`) as SchemaNode;
  return explainErrors(schema, spec, check.errors ?? []).map(({ pointer, value, detail, correction }) => ({
    field: `${field}.spec${dotted(pointer)}`,
    detail: `${given(pointer, value)} ${detail}; ${correction}`.trimStart(),
  }));
}

/** The smoke cases of a bundle's data.landfall that cannot pass, whatever the policy says. Their shape is checked before. */
export const smokeProblems = (root: Fields): SettingProblem[] =>
  itemsOf("smoke.cases", inside(root, "smoke", "cases")).flatMap(([field, one]) =>
    isObject(one) ? wrongSpec(field, one) : [],
  );
