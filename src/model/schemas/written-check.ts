import { createRequire } from "node:module";
import type { ValidateFunction } from "ajv";
import type { SchemaCheck } from "./compile-schema.ts";

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
