import { stringify } from "yaml";
import type { Summary } from "../../../impact/sum-up.ts";

/**
 * The entry of landfall.settings that announces this change from the bundle with this digest (`sha256:…`). An object that moves
 * counts as denied: a canary asks about the place that it has.
 */
export function announcement({ changes }: Summary, replaces: string, by: string): string {
  const denies = changes["newly denied"] + changes.moved;
  return stringify({ announced: [{ replaces, denies, allows: changes["newly allowed"], by }] });
}
