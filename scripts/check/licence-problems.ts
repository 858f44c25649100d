import { permits } from "./permits.ts";

/** A package as package-lock.json and its own package.json describe it. */
export interface LicensedPackage {
  name: string;
  /** An SPDX expression; null where none is stated. */
  licence: string | null;
}

/** A package that may have a licence which is not in the list, or none. */
export interface LicenceException {
  /** Its name, or the start of the names of several where it ends with `*`. */
  name: string;
  licence: string | null;
  /** Why it is used all the same. */
  reason: string;
}

/** Permissive licences: they ask for a notice at most. */
export const ALLOWED_LICENCES: readonly string[] = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "Unlicense",
  "Zlib",
];

export const LICENCE_EXCEPTIONS: readonly LicenceException[] = [
  { name: "argparse", licence: "PSF-2.0", reason: "permissive as BSD; a translation of Python's argparse" },
  { name: "argparse", licence: "Python-2.0", reason: "permissive as BSD; the same licence by its older name" },
  {
    name: "lightningcss*",
    licence: "MPL-2.0",
    reason: "a tool of the build (by way of vite): not changed, not shipped; MPL-2.0 covers its own files only",
  },
  {
    name: "axe-core",
    licence: "MPL-2.0",
    reason: "a tool of the tests: not changed, not shipped; MPL-2.0 covers its own files only",
  },
];

const matches = ({ name, licence }: LicenceException, found: LicensedPackage): boolean =>
  found.licence === licence && (name.endsWith("*") ? found.name.startsWith(name.slice(0, -1)) : found.name === name);

/** The packages whose licence is neither allowed nor excepted, and the exceptions that no package needs; one line each. */
export function licenceProblems(
  packages: readonly LicensedPackage[],
  exceptions: readonly LicenceException[] = LICENCE_EXCEPTIONS,
): string[] {
  const allowed = new Set(ALLOWED_LICENCES);
  const odd = packages.filter(({ licence }) => licence === null || !permits(licence, allowed));
  const unknown = odd.filter((found) => !exceptions.some((exception) => matches(exception, found)));
  const unused = exceptions.filter((exception) => !odd.some((found) => matches(exception, found)));
  return [
    ...unknown.map(
      ({ name, licence }) =>
        `${name}: ${licence ?? "no licence"}; use another package, or add an exception with its reason to scripts/check/licence-problems.ts`,
    ),
    ...unused.map(({ name, licence }) => `no package needs the exception for ${name} (${licence ?? "no licence"})`),
  ];
}
