import type { SimulateBody, SimulationResult } from "../../../../src/console/contract/simulation.ts";
import { currentSession } from "../../api/session.ts";

/** A result with the options that gave it. */
export interface KeptResult {
  body: SimulateBody;
  result: SimulationResult;
}

const KEY = "landfall-simulation";

/** Keeps the last result in this tab: it took a minute, and the page may be loaded again. */
export function keepResult(kept: KeptResult): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ session: currentSession(), ...kept }));
  } catch {
    // The storage of the tab is full: the next load of the page has no result.
    sessionStorage.removeItem(KEY);
  }
}

/** The last result of this tab; null if another console gave it, which may decide by another bundle. */
export function keptResult(): KeptResult | null {
  const text = sessionStorage.getItem(KEY);
  if (text === null) return null;
  const { session, ...kept } = JSON.parse(text) as KeptResult & { session: string | null };
  return session === currentSession() ? kept : null;
}
