import { gluedName } from "../text/glued-name.ts";

/** `cpu:2` within brackets is a name without a value, for want of a space; null for other names. */
export function gluedField(name: string, value: unknown): { correction: string; meant: string[] } | null {
  const glued = (value ?? null) === null ? gluedName(name) : null;
  return glued === null
    ? null
    : { correction: `write a space after the colon: ${glued.name}: ${glued.text}`, meant: [glued.name] };
}
