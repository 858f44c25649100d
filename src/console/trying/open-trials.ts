import { shareSlots } from "../../cluster/queue/share-slots.ts";
import { type ErrorCode, type ErrorParams, LandfallError } from "../../errors.ts";
import type { OtherTarball } from "../../policy/load-bundles.ts";
import type { Environment } from "../../policy/process/open-process.ts";
import type { NamespaceData, Resource } from "../../model/kubernetes.ts";
import type { ForecastBook } from "../../model/places/forecast.ts";
import type { PlaceKey } from "../../model/workload.ts";
import { teamNames } from "../../policy/process/watch-teams.ts";
import { openWatched } from "../../policy/process/watched-process.ts";
import type { Explainer } from "../explanation/create-explainer.ts";
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

/** A stored object that someone looks at. */
export interface Asked {
  object: Resource;
  namespace: NamespaceData;
  forecasts: ForecastBook | null;
  nowSeconds: number;
}

/** The questions to the process: to decide about an object that is tried, or to explain one that is stored. */
export interface Questions {
  try: { trial: Trial };
  explain: { asked: Asked };
  starts: { asked: Asked };
  whatIf: { asked: Asked; place: PlaceKey };
}
export type Question = { [What in keyof Questions]: { what: What } & Questions[What] }[keyof Questions];

export type Answers = { try: Decided } & { [What in keyof Explainer]: Awaited<ReturnType<Explainer[What]>> };
export type Answer = Answers[keyof Answers];

export type FromTrial =
  | { type: "ready" }
  | { type: "answer"; answer: Answer }
  | { type: "refused"; code: ErrorCode; params: ErrorParams };

export interface Trials {
  /** Answers once it is this user's turn. Throws CONSOLE_TRIAL, CONSOLE_AGAIN if the page has `left` by then, and errors of bundles. */
  ask<What extends keyof Questions>(
    user: string,
    what: What,
    about: Questions[What],
    left: AbortSignal,
  ): Promise<Answers[What]>;
  stop(): void;
}

export interface TrialOptions {
  /** The environment of this process; the new one gets little of it. All of it if omitted. */
  env?: Environment | undefined;
  limits?: { loadMs: number; decisionMs: number };
}

interface TrialProcess {
  ask(question: Question): Promise<Answer>;
  stop(): void;
  hasEnded(): boolean;
}

const cut = (cause: LandfallError): LandfallError =>
  new LandfallError("CONSOLE_TRIAL", { detail: cause.message }, cause);

function startProcess(bundles: TrialBundles, { env, limits = LIMITS }: TrialOptions): TrialProcess {
  const ready = Promise.withResolvers<undefined>();
  let answer: PromiseWithResolvers<Answer> | null = null;
  let ended = false;
  const child = openWatched<FromTrial>(bundles, {
    entry: new URL("trial-process.ts", import.meta.url),
    ...{ teams: teamNames(bundles.others), env, limits },
    onMessage(message) {
      if (message.type === "ready") ready.resolve(undefined);
      else if (message.type === "answer") answer?.resolve(message.answer);
      else answer?.reject(new LandfallError(message.code, message.params));
    },
    onEnd({ error }) {
      ended = true;
      ready.reject(cut(error));
      answer?.reject(cut(error));
    },
  });
  return {
    async ask(question) {
      await ready.promise;
      answer = Promise.withResolvers<Answer>();
      child.send(question);
      return answer.promise;
    },
    stop: child.stop,
    hasEnded: () => ended,
  };
}

/**
 * Trials and explanations in a process of their own, which starts with the first one: an object that takes long ends that process after `limits.decisionMs`, and
 * with it this question alone. The next one starts another. They come one after the other, in turns of their users.
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
    ask: <What extends keyof Questions>(user: string, what: What, about: Questions[What], left: AbortSignal) =>
      slots(user, async () => {
        if (left.aborted) throw new LandfallError("CONSOLE_AGAIN", { detail: "the page has left", seconds: 1 });
        clearTimeout(idle);
        if (current === null || current.hasEnded()) current = startProcess(bundles, options);
        try {
          // The process answers what it is asked.
          return (await current.ask({ what, ...about } as Question)) as Answers[What];
        } finally {
          idle = setTimeout(stop, IDLE_MS).unref();
        }
      }),
  };
}
