import type { Denial } from "../../model/decision.ts";

/** A cause of a Kubernetes Status: kubectl prints `field: message` for each. */
export interface Cause {
  reason: "FieldValueInvalid" | "FieldValueRequired";
  field: string;
  message: string;
}

/** Codes of what is wrong with an object by itself, whatever the policy says. */
const INVALID: readonly string[] = [
  ...["ADM_SCHEMA", "ADM_FIELDS", "ADM_DURATION", "ADM_TIME", "ADM_METADATA", "ADM_NAME_TOO_LONG"],
  ...["ADM_POOL_TWICE", "ADM_POOL_SIZE", "ADM_POOL_TYPES", "ADM_CIDR_OVERLAP", "ADM_CIDR_SMALL"],
];

/** Whether the object is refused for what it says, and not for what is allowed here. */
export const isInvalid = ({ code }: Denial): boolean => INVALID.includes(code);

function causeOf({ code, field, message, remedy }: Denial): Cause {
  const said =
    field !== null && message.startsWith(field) ? message.slice(field.length).replace(/^:?\s*/, "") : message;
  return {
    reason: said === "is missing" ? "FieldValueRequired" : "FieldValueInvalid",
    field: field ?? "",
    message: `${said}; ${remedy} [${code}]`,
  };
}

/** The causes of a denial that only says what is wrong with the object; undefined for any other. */
export const causesOf = (denials: readonly Denial[]): Cause[] | undefined =>
  denials.length > 0 && denials.every(isInvalid) ? denials.map(causeOf) : undefined;
