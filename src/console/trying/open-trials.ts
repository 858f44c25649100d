import { shareSlots } from "../../cluster/queue/share-slots.ts";
import { type ErrorCode, type ErrorParams, LandfallError } from "../../errors.ts";
import type { OtherTarball } from "../../policy/load-bundles.ts";
import type { Environment } from "../../policy/process/open-process.ts";
import { teamNames } from "../../policy/process/watch-teams.ts";
import { openWatched } from "../../policy/process/watched-process.ts";
import type { decideHere, HereOptions } from "./decide-here.ts";
import type { Written } from "./read-manifest.ts";

/** How long loading and one trial may take, in ms: as in the webhook. */
const LIMITS = { loadMs: 30_000, decisionMs: 4000 };
/** An idle process is kept for so long, in ms: it takes some 100 MiB. */
const IDLE_MS = 60_000;

/** The bundles that decide about objects that are tried. The signatures of their files were verified. */
export interface TrialBundles {
  platform: { bytes: Uint8Array; ref: string };
  others: readonly OtherTarball[];
}

/** An object that someone tries. */
export interface Trial extends Omit<HereOptions, "policy"> {
  written: Written;
}

type Decided = ReturnType<typeof decideHere>;

export type FromTrial =
  | { type: "ready" }
  | { type: "tried"; decided: Decided }
  | { type: "refused"; code: ErrorCode; params: ErrorParams };

export interface Trials {
  /** Decides about an object once it is this user's turn. Throws CONSOLE_TRIAL, CONSOLE_AGAIN if the page has `left` by then, and errors of bundles. */
  decide(user: string, trial: Trial, left: AbortSignal): Promise<Decided>;
  stop(): void;
}

export interface TrialOptions {
  /** The environment of this process; the new one gets little of it. All of it if omitted. */
  env?: Environment | undefined;
  limits?: { loadMs: number; decisionMs: number };
}

interface TrialProcess {
  ask(trial: Trial): Promise<Decided>;
  stop(): void;
  hasEnded(): boolean;
}

const cut = (cause: LandfallError): LandfallError =>
  new LandfallError("CONSOLE_TRIAL", { detail: cause.message }, cause);

function startProcess(bundles: TrialBundles, { env, limits = LIMITS }: TrialOptions): TrialProcess {
  const ready = Promise.withResolvers<undefined>();
  let answer: PromiseWithResolvers<Decided> | null = null;
  let ended = false;
  const child = openWatched<FromTrial>(bundles, {
    entry: new URL("trial-process.ts", import.meta.url),
    ...{ teams: teamNames(bundles.others), env, limits },
    onMessage(message) {
      if (message.type === "ready") ready.resolve(undefined);
      else if (message.type === "tried") answer?.resolve(message.decided);
      else answer?.reject(new LandfallError(message.code, message.params));
    },
    onEnd({ error }) {
      ended = true;
      ready.reject(cut(error));
      answer?.reject(cut(error));
    },
  });
  return {
    async ask(trial) {
      await ready.promise;
      answer = Promise.withResolvers<Decided>();
      child.send(trial);
      return answer.promise;
    },
    stop: child.stop,
    hasEnded: () => ended,
  };
}

/**
 * Trials in a process of their own, which starts with the first one: an object that takes long ends that process after `limits.decisionMs`, and with it this
 * trial alone. The next one starts another. Trials come one after the other, in turns of their users.
 */
export function openTrials(bundles: TrialBundles, options: TrialOptions = {}): Trials {
  const slots = shareSlots({ all: 1, group: 1 });
  let current: TrialProcess | null = null;
  let idle: NodeJS.Timeout | undefined;

  function stop(): void {
    clearTimeout(idle);
    current?.stop();
    current = null;
  }

  return {
    stop,
    decide: (user, trial, left) =>
      slots(user, async () => {
        if (left.aborted) throw new LandfallError("CONSOLE_AGAIN", { detail: "the page has left", seconds: 1 });
        clearTimeout(idle);
        if (current === null || current.hasEnded()) current = startProcess(bundles, options);
        try {
          return await current.ask(trial);
        } finally {
          idle = setTimeout(stop, IDLE_MS).unref();
        }
      }),
  };
}
