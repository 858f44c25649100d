import schema from "../../schemas/policy-case.schema.json" with { type: "json" };
import { LandfallError } from "../errors.ts";
import { compileSchema } from "../model/schemas/compile-schema.ts";
import { KUBERNETES_YAML } from "../model/formats/kubernetes-yaml.ts";
import { parseYamlFile } from "../model/file-faults/parse-yaml.ts";
import { problemsInWords } from "../model/wrong-value/first-problem.ts";
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
  ajv.addVocabulary(["x-aliases", "x-elsewhere", "x-instead"]),
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

/** Reads one case. Throws CLI_CASE for a file that is not YAML or not a case. */
export function readCase(source: string, file: string, name: string): PolicyCase {
  const { description = "", now = NOON, object, before, namespace, facts, expect } = parse(source, file);
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
