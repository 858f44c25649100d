/** The index at which the tag or digest of an OCI reference begins, at its `:` or `@`; -1 for a reference without. */
function versionStart(ref: string): number {
  const last = ref.lastIndexOf("/") + 1;
  const at = ref.slice(last).search(/[:@]/);
  return at < 0 ? -1 : last + at;
}

/** Whether an OCI reference, `host/repository` with or without `oci://`, ends with a tag or a digest. */
export const namesVersion = (ref: string): boolean => versionStart(ref) >= 0;

/** An OCI reference without its tag and digest. */
export function withoutVersion(ref: string): string {
  const at = versionStart(ref);
  return at < 0 ? ref : ref.slice(0, at);
}
