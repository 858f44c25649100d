import { LandfallError } from "../errors.ts";
import type { KaasTaint } from "./types.ts";

/** key=value:effect, as kOps writes a taint; without `=` where it has no value. */
export const writeTaint = ({ key, value, effect }: KaasTaint): string =>
  `${key}${value === undefined ? "" : `=${value}`}:${effect}`;

/** Throws KOPS_FIELD for what is no taint. */
export function readTaint(taint: string, object: string): KaasTaint {
  const [, key, , value, effect] = /^([^=:]+)(=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(taint) ?? [];
  if (key === undefined || effect === undefined)
    throw new LandfallError("KOPS_FIELD", {
      object,
      field: "spec.taints",
      detail: `${taint} is not a key=value:effect`,
    });
  return value === undefined ? { key, effect } : { key, value, effect };
}
