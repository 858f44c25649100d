/** A name and its value, written as one word for want of a space: `cpu:2`. */
export interface Glued {
  name: string;
  /** `2`; may hold further words. */
  text: string;
}

/** A name, a colon and no space. An address (`https://…`) is none. */
const GLUED = /^([A-Za-z][\w./-]{0,99}):(?!\/\/)(\S[^\n]{0,199})$/;

/** The name and value that YAML reads as one name in `{cpu:2}`; null for other names. */
export function gluedName(written: string): Glued | null {
  const [, name, text] = GLUED.exec(written) ?? [];
  return name === undefined || text === undefined ? null : { name, text };
}

/** `cpu:2` within brackets is a name without a value, for want of a space; null for other names. */
export function gluedField(name: string, value: unknown): { correction: string; meant: string[] } | null {
  const glued = (value ?? null) === null ? gluedName(name) : null;
  return glued === null
    ? null
    : { correction: `write a space after the colon: ${glued.name}: ${glued.text}`, meant: [glued.name] };
}
