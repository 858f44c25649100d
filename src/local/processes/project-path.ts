import { fileURLToPath } from "node:url";

/** The absolute path of a file or folder of this project, given relative to the project's root. */
export const projectPath = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
