import schema from "../../schemas/policy-case.schema.json" with { type: "json" };
import { LandfallError } from "../errors.ts";
import { compileSchema } from "../model/schemas/compile-schema.ts";
import { KUBERNETES_YAML } from "../model/formats/kubernetes-yaml.ts";
import { parseYamlFile } from "../model/file-faults/parse-yaml.ts";
import { problemsInWords } from "../model/wrong-value/first-problem.ts";
import { LABEL_VALUE, meantInLabel, namespaceSettings } from "../model/wrong-value/namespace-setting.ts";
import { meantSetting } from "../model/wrong-value/setting-name.ts";
import { parseTime } from "../model/time.ts";
import type { PolicyCase } from "./policy-case.ts";

type WrittenCase = Partial<Pick<PolicyCase, "description">> &
  Pick<PolicyCase, "object" | "expect"> & {
    now?: string;
    before?: { object: PolicyCase["object"]; now?: string };
    namespace?: Partial<PolicyCase["namespace"]>;
    facts?: { objects: PolicyCase["object"][] };
  };

const validate = compileSchema<WrittenCase>(schema, { allErrors: true, useDefaults: true }, (ajv) =>
  ajv.addVocabulary(["x-aliases", "x-elsewhere", "x-instead", "x-reads"]),
);

/** A fixed time, so that cases do not depend on the day. */
const NOON = schema.properties.now.default;

function parse(source: string, file: string): WrittenCase {
  const bad = (detail: string): LandfallError => new LandfallError("CLI_CASE", { file, detail });
  const parsed = parseYamlFile(source, KUBERNETES_YAML);
  if ("problem" in parsed) throw bad(parsed.problem);
  const { value } = parsed;
  const filled = structuredClone(value);
  if (!validate(filled)) throw bad(problemsInWords(schema, value, validate.errors).join("; "));
  return filled;
}

/** Why a label or annotation of a namespace is none, or has no effect; null if it may be meant. */
function settingFaultOf(part: string, key: string, value: string): string | null {
  const where = `namespace.${part}.${key}`;
  const meant = namespaceSettings()[key] === undefined ? meantSetting(key) : null;
  if (meant !== null && meant !== "")
    return `${where} is not a setting of a namespace, so it has no effect; write ${meant}`;
  if (part === "annotations" || value === "" || LABEL_VALUE.test(value)) return null;
  return `${where} ${JSON.stringify(value)} is not the value of a label; ${meantInLabel(key, value)}`;
}

/** The first fault in a case's namespace: the case would test something else than it says. */
const namespaceFault = (namespace: Partial<PolicyCase["namespace"]>): string | null =>
  Object.entries(namespace)
    .flatMap(([part, map]) => Object.entries(map).map(([key, value]) => settingFaultOf(part, key, value)))
    .find((fault) => fault !== null) ?? null;

/** Reads one case. Throws CLI_CASE for a file that is not YAML or not a case. */
export function readCase(source: string, file: string, name: string): PolicyCase {
  const { description = "", now = NOON, object, before, namespace, facts, expect } = parse(source, file);
  const fault = namespaceFault(namespace ?? {});
  if (fault !== null) throw new LandfallError("CLI_CASE", { file, detail: fault });
  const seconds = (time: string, field: string): number => {
    const read = parseTime(time);
    if (read !== null) return read;
    throw new LandfallError("CLI_CASE", {
      file,
      detail: `${field} ${JSON.stringify(time)} is not a time; write one with its zone (RFC 3339), e.g. ${NOON}`,
    });
  };
  return {
    ...{ name, description, object, expect, nowSeconds: seconds(now, "now") },
    before:
      before === undefined ? null : { object: before.object, nowSeconds: seconds(before.now ?? now, "before.now") },
    namespace: { labels: {}, annotations: {}, ...namespace },
    others: facts?.objects ?? null,
  };
}
