import { isObject } from "./json.ts";

/** Whether a controller has installed something for the object: Krateo's and ours list it in the status, which users cannot write. */
export const isInstalled = ({ status }: { status?: unknown }): boolean =>
  isObject(status) && Array.isArray(status["managed"]) && status["managed"].length > 0;
