/** How a caller of the webhook was authenticated. `none`: it was not, and its reviews cause nothing that lasts. */
export type Authentication = "client-certificate" | "token" | "none";

/** The modes of an installation. `auto`: each caller by what it shows. */
export const AUTHENTICATION_MODES = ["client-certificate", "token", "none", "auto"] as const;
export type AuthenticationMode = (typeof AUTHENTICATION_MODES)[number];

/** A caller of the webhook. */
export interface Caller {
  authentication: Authentication;
  /** Its address, if no one authenticated it; empty otherwise: authenticated callers are one. */
  source: string;
}

export const AUTHENTICATED: Caller = { authentication: "client-certificate", source: "" };
