import type { Logger } from "pino";
import { createClient } from "../../cluster/client/create-client.ts";
import { electLeader, type LeaderElection } from "../../cluster/elect-leader.ts";
import { messageOf } from "../../errors.ts";
import {
  CONTROLLER_LEASE,
  HELM_BY_ANNOTATION,
  SCHEDULE_LEASE,
  VERSION_ANNOTATION,
  VERSION,
} from "../../model/names.ts";
import type { ControllerOptions } from "./controller.ts";

/** As in Kubernetes' own controllers: a leader that was killed is replaced after 15 s. */
const LEASE_TIMES = { leaseDurationMs: 15_000, retryPeriodMs: 3000 };

export interface ElectionInput {
  config: ControllerOptions["config"];
  lead: NonNullable<ControllerOptions["lead"]>;
  scheduleOnly: boolean;
  /** How this controller calls helm; null if it does not install. */
  helmBy: string | null;
  log: Logger;
}

/**
 * Takes part in the election of the controller that installs, or of the one that only starts. Its calls have connections of their own: a Lease that
 * waits behind reconciles would expire.
 */
export function joinElection({ config, lead, scheduleOnly, helmBy, log }: ElectionInput): LeaderElection {
  const onFailure = (thrown: unknown): void => {
    log.warn({ error: messageOf(thrown) }, "the Lease could not be read or written");
  };
  const client = createClient(config);
  const clocks = { nowMs: Date.now, elapsedMs: () => performance.now() };
  const name = scheduleOnly ? SCHEDULE_LEASE : CONTROLLER_LEASE;
  const annotations = { [VERSION_ANNOTATION]: VERSION, ...(helmBy === null ? {} : { [HELM_BY_ANNOTATION]: helmBy }) };
  const election = electLeader({ client, ...lead, name, annotations, ...LEASE_TIMES, ...clocks, onFailure });
  void election.elected.then(() => {
    log.info({ identity: lead.identity, lease: name }, "this controller leads");
  });
  return {
    ...election,
    release: async () => {
      await election.release().catch(onFailure);
      await client.close();
    },
  };
}
