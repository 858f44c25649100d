import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { parseAllDocuments } from "yaml";
import { isObject } from "../../src/model/json.ts";

type Schema = Record<string, unknown>;

/** As the API server under strict field validation: an unknown field is an error. */
function strict(schema: Schema): Schema {
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === "properties" && isObject(value)) {
      return [
        key,
        Object.fromEntries(
          Object.entries(value).map(([name, inner]) => [name, isObject(inner) ? strict(inner) : inner]),
        ),
      ];
    }
    if ((key === "items" || key === "additionalProperties") && isObject(value)) return [key, strict(value)];
    // Go's flag for the whole expression becomes a group in JavaScript.
    if (key === "pattern" && typeof value === "string") return [key, value.replace(/^\(\?i\)(.*)$/, "(?i:$1)")];
    return [key, value];
  });
  const result: Schema = Object.fromEntries(
    entries.filter(([key]) => !key.startsWith("x-kubernetes-") && key !== "format"),
  );
  const open = schema["x-kubernetes-preserve-unknown-fields"] === true || "additionalProperties" in schema;
  if (isObject(schema["properties"]) && !open) result["additionalProperties"] = false;
  if (schema["x-kubernetes-int-or-string"] === true) result["type"] = ["integer", "string"];
  return result;
}

const META = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { type: "object" } };

function withMeta(schema: Schema): Schema {
  return { ...schema, properties: { ...(isObject(schema["properties"]) ? schema["properties"] : {}), ...META } };
}

export interface CrdValidator {
  /** Errors of a manifest by its CRD; a kind without a CRD is an error too. */
  check(manifest: { apiVersion: string; kind: string }): string[];
}

/** Validates manifests against every CRD in `folders`. */
export function crdValidator(folders: readonly string[]): CrdValidator {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validators = new Map<string, ValidateFunction>();
  const files = folders.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
  for (const document of files.flatMap((file) => parseAllDocuments(readFileSync(file, "utf8")))) {
    const { spec } = document.toJS() as {
      spec: {
        group: string;
        names: { kind: string };
        versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
      };
    };
    for (const { name, schema } of spec.versions) {
      validators.set(`${spec.group}/${name} ${spec.names.kind}`, ajv.compile(strict(withMeta(schema.openAPIV3Schema))));
    }
  }
  return {
    check: (manifest) => {
      const key = `${manifest.apiVersion} ${manifest.kind}`;
      const validate = validators.get(key);
      if (validate === undefined) return [`there is no CRD for ${key}`];
      if (validate(manifest)) return [];
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${key} ${instancePath} ${message ?? ""} ${JSON.stringify(params)}`,
      );
    },
  };
}
