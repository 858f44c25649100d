import { given } from "../wrong-value/explain-value.ts";

/** The names of fields whose values no message shows. */
const SECRET = /(?:pass|secret|token|credential|userData|PRIVATE KEY)/i;

/** A line of a manifest for a message, in quotes; empty if there is none, or if it may hold a secret. */
export const shownLine = (line: string): string => (SECRET.test(line) ? "" : given("", line.trim()).trimStart());
