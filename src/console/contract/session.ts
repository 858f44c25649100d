import { limited, type Of, record, text } from "./schema.ts";

/** The one-time token of the address. */
export const TOKEN = record({ token: limited(100) });

/** The session, which the page sends as `Authorization: Bearer` from then on. */
export const SESSION = record({ session: text });
export type Session = Of<typeof SESSION>;
