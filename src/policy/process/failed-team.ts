import { LandfallError } from "../../errors.ts";

/** The team that an error, or what caused it, names; null if it names none. */
export function failedTeam(error: unknown): string | null {
  if (!(error instanceof LandfallError)) return null;
  return error.code === "POL_TEAM" ? String(error.params["bundle"]) : failedTeam(error.cause);
}
