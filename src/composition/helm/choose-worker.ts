import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { LandfallError, messageOf } from "../../errors.ts";
import type { HelmBy } from "../../model/names.ts";

export interface HelmChoice {
  /** The worker's program; null if helm's own program is called. */
  worker: string | null;
  /** The choice, with its reason if the worker could have been meant: for the log and for the Lease. */
  about: string;
}

async function problemOf(file: string | undefined): Promise<string | null> {
  if (file === undefined) return "--helm-worker names no program";
  try {
    await access(file, constants.X_OK);
    return null;
  } catch (thrown) {
    return `${file}: ${messageOf(thrown)}`;
  }
}

/** Chooses how helm is called. `file` is the worker's program. Errors: REL_HELM_WORKER if it has to be the worker and is not there. */
export async function chooseWorker(by: HelmBy, file: string | undefined): Promise<HelmChoice> {
  if (by === "program") return { worker: null, about: "program" };
  const problem = await problemOf(file);
  if (problem === null) return { worker: file ?? null, about: "worker" };
  if (by === "worker") throw new LandfallError("REL_HELM_WORKER", { detail: problem });
  return { worker: null, about: `program, since there is no worker: ${problem}` };
}
