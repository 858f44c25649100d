import { isObject } from "../json.ts";
import { problemsOf, refuse, settingsOf } from "./check-settings.ts";
import { leavesNoPlace } from "./leaves-no-place.ts";
import { rulesOff } from "./rules-off.ts";
import type { SettingProblem } from "./setting-problem.ts";
import { unknownNames } from "./unknown-names.ts";

/**
 * Throws POL_SETTINGS for a bundle that is built or pushed. In addition to the schema, its settings must name only places and areas of its own
 * catalog, leave at least one place, and switch no rule off unsaid. A webhook does not check that: what a later catalog or version refuses
 * must not take the active bundle away.
 */
export function checkNewSettings(data: Record<string, unknown>, ref: string): void {
  const settings = settingsOf(data);
  if (settings === undefined) return;
  const catalog = isObject(data["landfall"]) ? data["landfall"]["catalog"] : undefined;
  const [fields, known] = [isObject(settings) ? settings : {}, isObject(catalog) ? catalog : null];
  const found = [...problemsOf(settings), ...rulesOff(fields), ...(known === null ? [] : unknownNames(fields, known))];
  // A misspelt place or area leaves none as well: its own correction is enough.
  refuse(ref, found.length === 0 && known !== null ? leavesNoPlace(fields, known) : onceEach(found));
}

/** The problems without a second one of the same setting, or of a part of it: one correction of its value is enough. */
const onceEach = (all: readonly SettingProblem[]): SettingProblem[] =>
  all.filter(({ field }, index) => !all.slice(0, index).some((other) => isWithin(field, other.field)));

const isWithin = (field: string, other: string): boolean =>
  field === other || field.startsWith(`${other}.`) || field.startsWith(`${other}[`);
