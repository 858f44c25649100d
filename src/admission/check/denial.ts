import { describe, type ErrorCode, type ErrorParams, type ParamsOf } from "../../errors.ts";
import type { Denial } from "../../model/decision.ts";
import type { PolicyWarning } from "../../model/policy.ts";
import type { Denied } from "../types.ts";

export interface DeniedField {
  field: string | null;
  actual?: string | number | null;
  allowed?: string | number | null;
}

/** A spec value as text for a denial. */
export const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** A denial with the registry's text, filled with `params`, the field and its values. */
export function denial<Code extends ErrorCode>(
  code: Code,
  where: DeniedField,
  ...[params = {}]: ParamsOf<Code, keyof DeniedField>
): Denial {
  const { field, actual = null, allowed = null } = where;
  const filled: Record<string, string | number> = { ...params };
  if (field !== null) filled["field"] ??= field;
  if (actual !== null) filled["actual"] ??= actual;
  if (allowed !== null) filled["allowed"] ??= allowed;
  return { code, ...describe<ErrorCode>(code, filled), field, actual, allowed };
}

/** A warning with the registry's text and what to do, filled with `params`. */
export function warning(code: ErrorCode, params: ErrorParams): PolicyWarning {
  const { message, remedy } = describe(code, params);
  return { code, message: `${message}; ${remedy}` };
}

export const hasCode = ({ denials }: { denials: readonly Pick<Denial, "code">[] }, ...codes: string[]): boolean =>
  denials.some(({ code }) => codes.includes(code));

/** A denial without a decision: of a request that is not asked about. */
export function refuse(code: ErrorCode, params: ErrorParams): Denied {
  const { message, remedy } = describe(code, params);
  return { allowed: false, message: `${message}; ${remedy} [${code}]`, codes: [code], decision: null };
}

/** The message of a denial or warning; that of a team's rule names its bundle first, where no limit of length cuts it off. */
export const withSource = ({ message, source }: { message: string; source?: string }): string =>
  source === undefined ? message : `bundle ${source}: ${message}`;
