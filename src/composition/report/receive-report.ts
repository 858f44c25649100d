import { retryConflicts } from "../../cluster/retry-conflicts.ts";
import { LandfallError } from "../../errors.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import { isObject } from "../../model/json.ts";
import type { Runs } from "../record/open-runs.ts";
import { isTokenOf } from "./report-token.ts";

export interface Report {
  /** The uid in the path. */
  uid: string;
  /** The header Authorization. */
  authorization: string | undefined;
  body: string;
}

const tokenIn = (authorization = ""): string => /^Bearer ([\w.-]{1,200})$/.exec(authorization)?.[1] ?? "";

/** The exit code in a body `{"exitCode": 0}`. Throws RUN_REPORT_BODY. */
function exitCodeOf(body: string): number {
  let value: unknown = null;
  try {
    value = JSON.parse(body);
  } catch {
    // Not JSON: refused below.
  }
  const code = isObject(value) ? value["exitCode"] : undefined;
  if (typeof code === "number" && Number.isInteger(code) && code >= 0 && code <= 255) return code;
  throw new LandfallError("RUN_REPORT_BODY", {});
}

/**
 * Records what the machine of a run reports of its completion, once. Throws RUN_REPORT_TOKEN also for an unknown uid, so that
 * no one learns which objects exist, RUN_REPORT_BODY, RUN_REPORT_REPEATED for a run that is over or reported already, and the
 * conflict (409) if the record changed during each attempt.
 */
export async function receiveReport(
  { runs, ring }: { runs: Pick<Runs, "read" | "change">; ring: KeyRing },
  { uid, authorization, body }: Report,
): Promise<void> {
  await retryConflicts(async () => {
    const record = await runs.read(uid);
    if (record === null || !isTokenOf(ring, record, tokenIn(authorization)))
      throw new LandfallError("RUN_REPORT_TOKEN");
    const exitCode = exitCodeOf(body);
    if (record.end !== null || (record.reported ?? null) !== null)
      throw new LandfallError("RUN_REPORT_REPEATED", { object: `${record.namespace}/${record.name}` });
    await runs.change({ ...record, reported: { exitCode } });
  });
}
