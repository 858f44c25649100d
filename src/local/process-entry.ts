import { fileURLToPath } from "node:url";

/** The absolute path of an entry file, given relative to this folder. */
export const processEntry = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
