import { nearestTypes } from "../../model/text/nearest.ts";

/** Names of which the text lacks the provider's prefix or the version: `D2s_v5` and `Standard_D2s`. The newest version is first. */
function completed(names: readonly string[], actual: string): string[] {
  const meant = [actual.toLowerCase(), `standard_${actual.toLowerCase()}`];
  const isMeant = (name: string): boolean => meant.includes(name) || meant.includes(name.replace(/_v\d{1,2}$/, ""));
  return names
    .filter((name) => isMeant(name.toLowerCase()))
    .toSorted((one, other) => other.localeCompare(one, "en", { numeric: true }));
}

/** The types whose names are like this one, or complete it. */
export function likeTypes(names: readonly string[], actual: string): string[] {
  const near = nearestTypes(actual, names);
  return near.length > 0 ? near : completed(names, actual);
}
