import SearchableMap from "minisearch/SearchableMap";

/** Differences in case, spaces and separators are none: `West Europe` and `west-europe` are `westeurope`. */
const folded = (name: string): string => name.toLowerCase().replace(/[\s_.-]+/g, "");

/** A third of the letters, and at least one: more would be another word. */
const allowedEdits = (name: string): number => Math.min(3, Math.max(1, Math.floor(name.length / 3)));

const sorted = (name: string): string => [...name].toSorted().join("");

/** Two letters that changed places are two edits, and one slip: `lrage` for `large`. */
const slips = (wanted: string, name: string, distance: number): number =>
  distance === 2 && sorted(wanted) === sorted(name) ? 1 : distance;

/** No user means a longer name. */
const LONGEST = 100;

/** Names that may still be compared. */
let left = Infinity;

/** Compares at most so many names in this work: what is like others is looked for where everybody else waits. After that, none is near. */
export function comparing<T>(names: number, work: () => T): T {
  const before = left;
  left = Math.min(left, names);
  try {
    return work();
  } finally {
    left = before;
  }
}

/** The names that are most like this one, by edits, which are at most `most`; empty if none is near. */
export function nearestAll(name: string, names: Iterable<string>, most = Infinity): string[] {
  const wanted = folded(name);
  if (wanted === "" || wanted.length > LONGEST || left <= 0) return [];
  const byFolded = new Map<string, string[]>();
  for (const one of names) {
    if (one.length > LONGEST) continue;
    const key = folded(one);
    byFolded.set(key, [...(byFolded.get(key) ?? []), one]);
  }
  left -= byFolded.size;
  const found: Iterable<[string, [string[], number]]> = SearchableMap.from<string[]>([...byFolded]).fuzzyGet(
    wanted,
    Math.max(2, allowedEdits(wanted)),
  );
  const near = [...found]
    .map(([key, [same, distance]]) => ({ same, edits: slips(wanted, key, distance) }))
    .filter(({ edits }) => edits <= Math.min(most, allowedEdits(wanted)));
  const least = Math.min(...near.map(({ edits }) => edits));
  return near.filter(({ edits }) => edits === least).flatMap(({ same }) => same);
}

/** The name that is most like this one; null if none is near. */
export const nearest = (name: string, names: Iterable<string>, most = Infinity): string | null =>
  nearestAll(name, names, most)[0] ?? null;

/** The size in the name of a machine type, where it is a word: `xlarge` of `m5.xlarge`. Without the dot, `m5alarge` is as near. */
const sizeIn = (type: string): string | null => type.split(".")[1]?.toLowerCase() ?? null;

/** The letters with which a name begins, which say what a machine is made for: `m` of `m6i.xlarge`. */
const letters = (type: string): string => /^[a-z]{1,12}/i.exec(type)?.[0].toLowerCase() ?? "";

/** The types that are most like this one, those for the same use first. Another size is another machine: a size that exists is not taken for a slip. */
export function nearestTypes(type: string, names: readonly string[]): string[] {
  if (left <= 0) return [];
  const sizes = new Set(names.map(sizeIn));
  const size = sizeIn(type);
  const near = nearestAll(type, names, 1).filter((one) => size === null || !sizes.has(size) || sizeIn(one) === size);
  const isSame = (one: string): boolean => letters(one) === letters(type);
  return [...near.filter(isSame), ...near.filter((one) => !isSame(one))];
}
