/** How a caller of the webhook was authenticated. `none`: it was not, and its reviews cause nothing that lasts. */
export type Door = "client-certificate" | "token" | "none";

/** What an installation accepts. `auto`: each caller by what it shows. */
export const DOORS = ["client-certificate", "token", "none", "auto"] as const;
export type DoorSetting = (typeof DOORS)[number];

/** A caller of the webhook. */
export interface Caller {
  door: Door;
  /** Its address, if no one authenticated it; empty otherwise: authenticated callers are one. */
  source: string;
}

export const AUTHENTICATED: Caller = { door: "client-certificate", source: "" };
