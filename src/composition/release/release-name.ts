/** `<name>-<8 characters>`, the characters from the uid: a composition that is created again gets a new release. */
export const releaseName = (name: string, uid: string): string => `${name}-${uid.replaceAll("-", "").slice(0, 8)}`;
