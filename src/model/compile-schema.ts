import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";

/** A check of values against a JSON Schema; `errors` says what was wrong with the last value. */
export interface SchemaCheck<T> {
  (value: unknown): value is T;
  errors: ErrorObject[] | null;
}

// Our own schemas are checked by a test, not at every start: that takes as long as compiling them. Optimizing the check's
// code takes a third of the compilation; V8 makes the same code of it when it is used often.
const OPTIONS: Options = {
  ...{ strict: true, strictRequired: false, allowUnionTypes: true },
  ...{ validateSchema: false, code: { optimize: false } },
};

/**
 * A check that is compiled when it is first used: a schema takes up to 0.2 s, and a process uses few of them. `prepare` adds
 * formats and keywords.
 */
export function compileSchema<T>(schema: object, options: Options = {}, prepare?: (ajv: Ajv) => void): SchemaCheck<T> {
  let compiled: ValidateFunction<T> | null = null;
  function compile(): ValidateFunction<T> {
    const ajv = new Ajv({ ...OPTIONS, ...options });
    prepare?.(ajv);
    return ajv.compile<T>(schema);
  }
  const check: SchemaCheck<T> = Object.assign(
    (value: unknown): value is T => {
      compiled ??= compile();
      const valid = compiled(value);
      check.errors = compiled.errors ?? null;
      return valid;
    },
    { errors: null },
  );
  return check;
}
