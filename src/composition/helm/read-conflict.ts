/** A resource that belongs to another release, and that release; null if helm did not create it. */
export interface TakenObject {
  kind: string;
  name: string;
  holder: { release: string; namespace: string } | null;
}

const CONFLICT =
  /([A-Za-z0-9]{1,128}) "([^"]{1,256})" in namespace "([^"]{0,256})" exists and cannot be imported into the current release/;

function valueOf(text: string, annotation: string): string | undefined {
  const found = new RegExp(
    `"meta\\.helm\\.sh/${annotation}" must equal "[^"]{0,256}": current value is "([^"]{1,256})"`,
  ).exec(text);
  return found?.[1];
}

/** Reads the refused resource from helm's message, for a release in `namespace`; null if helm failed for another reason. */
export function readConflict(stderr: string, release: string, namespace: string): TakenObject | null {
  const [, kind, name] = CONFLICT.exec(stderr) ?? [];
  if (kind === undefined || name === undefined) return null;
  // Helm names only what differs: a release of the same name may be in another namespace.
  const other = { release: valueOf(stderr, "release-name"), namespace: valueOf(stderr, "release-namespace") };
  const foreign = other.release === undefined && other.namespace === undefined;
  const holder = { release: other.release ?? release, namespace: other.namespace ?? namespace };
  return { kind, name, holder: foreign ? null : holder };
}
