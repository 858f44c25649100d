export interface ChosenFiles {
  /** The files to lint. */
  todo: string[];
  /** The named files that are not among the sources. */
  unknown: string[];
}

/** The named source files, or all if none is named, without those that are known to be clean. */
export function chooseFiles(
  sources: readonly string[],
  named: readonly string[],
  isClean: (file: string) => boolean,
): ChosenFiles {
  const wanted = named.length === 0 ? sources : sources.filter((file) => named.includes(file));
  return {
    todo: wanted.filter((file) => !isClean(file)),
    unknown: named.filter((file) => !sources.includes(file)),
  };
}
