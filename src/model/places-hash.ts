import { sha256 } from "./sha256.ts";

/** What tells lists of places apart (16 hex digits): tables of a catalog are by a place's position in it. */
export const placesHash = (keys: readonly string[]): string => sha256(keys.join("\n")).slice(0, 16);
