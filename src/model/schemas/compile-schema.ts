import { createRequire } from "node:module";
import type * as AjvModule from "ajv";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";

/** A check of values against a JSON Schema; `errors` says what was wrong with the last value. */
export interface SchemaCheck<T> {
  (value: unknown): value is T;
  errors: ErrorObject[] | null;
}

/** A check with the schema that it was compiled of, for messages. */
export interface CompiledCheck<T> extends SchemaCheck<T> {
  schema: Record<string, unknown>;
}

// Our own schemas are checked by a test, not at every start: that takes as long as compiling them. Optimizing the check's
// code takes a third of the compilation; V8 makes the same code of it when it is used often.
export const CHECK_OPTIONS: Options = {
  ...{ strict: true, strictRequired: false, allowUnionTypes: true },
  ...{ validateSchema: false, code: { optimize: false } },
};

// Loaded when it is needed: most processes need no check that is not written already.
const load = createRequire(import.meta.url);

/**
 * A check that is compiled when it is first used: a schema takes up to 0.2 s, and a process uses few of them. Those that almost every process
 * uses are written in advance: see writtenCheck. `prepare` adds formats and keywords.
 */
export function compileSchema<T>(
  schema: object,
  options: Options = {},
  prepare?: (ajv: Ajv) => void,
): CompiledCheck<T> {
  let compiled: ValidateFunction<T> | null = null;
  function compile(): ValidateFunction<T> {
    const ajv = new (load("ajv") as typeof AjvModule).Ajv({ ...CHECK_OPTIONS, ...options });
    prepare?.(ajv);
    return ajv.compile<T>(schema);
  }
  const check: CompiledCheck<T> = Object.assign(
    (value: unknown): value is T => {
      compiled ??= compile();
      const valid = compiled(value);
      check.errors = compiled.errors ?? null;
      return valid;
    },
    { errors: null, schema: schema as Record<string, unknown> },
  );
  return check;
}

/** The checks in schemas/checks, which `npm run generate -- schema-checks` writes. */
export type WrittenCheck =
  | "settings"
  | "policy-result"
  | "vm-template"
  | "vm-template-all-errors"
  | "kaas-cluster"
  | "kaas-cluster-all-errors";

const require = createRequire(import.meta.url);

/** A check whose code lies in schemas/checks: nothing is compiled, and ajv is not loaded. Loaded when it is first used. */
export function writtenCheck<T>(name: WrittenCheck): SchemaCheck<T> {
  let loaded: ValidateFunction<T> | null = null;
  const check: SchemaCheck<T> = Object.assign(
    (value: unknown): value is T => {
      loaded ??= require(`../../../schemas/checks/${name}.cjs`) as ValidateFunction<T>;
      const valid = loaded(value);
      check.errors = loaded.errors ?? null;
      return valid;
    },
    { errors: null },
  );
  return check;
}
