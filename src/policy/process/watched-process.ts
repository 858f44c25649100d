import { type ErrorCode, type ErrorParams, LandfallError } from "../../errors.ts";
import { type Environment, openProcess } from "./open-process.ts";
import { DATA, stuckWatch } from "./progress.ts";

/** Interval between checks of what is worked on, in ms. */
const WATCH_MS = 250;
/** A new process has this long for its own code, in ms: a busy machine must not fail a bundle. */
const START_MS = 60_000;

/** The messages of each process that runs bundles, besides its answers. */
export type Said =
  /** Its code is loaded: from now on, what takes time is the bundle. */
  | { type: "started" }
  /** The bundle is loaded: from now on, what takes time is a request. */
  | { type: "ready" }
  | { type: "failed"; code: ErrorCode; params: ErrorParams };

/** Why a process exited, or was ended because it hung. */
export interface ProcessEnd {
  /** POL_TEAM if the rules of a team were at work. */
  error: LandfallError;
  /** The id of the request that it worked on; null if it worked on none, or still loaded. */
  request: number | null;
  /** Whether a bundle may have been at work: not before the process's own code was loaded, nor while it took in the cluster's data. */
  ofBundle: boolean;
  /** Whether it ended for want of memory: its own, or the machine's. */
  ofMemory: boolean;
}

interface Setup<Message> {
  entry: URL;
  /** The names of the teams, by the index that the process says is at work. */
  teams: readonly string[];
  /** The environment of this process; the new one gets little of it. All of it if omitted. */
  env?: Environment | undefined;
  /** In ms. The rules of one team have a third of the time of loading, and half of that of a decision. */
  limits: { loadMs: number; decisionMs: number };
  /** Receives everything but `started` and `failed`. */
  onMessage: (message: Message) => void;
  /** Called once, if it ends without `stop`. */
  onEnd: (end: ProcessEnd) => void;
  /** Called while nothing hangs. */
  onTick?: (nowMs: number) => void;
}

/** A process that is ended if it hangs. */
export interface WatchedProcess {
  send: (messages: unknown) => void;
  /** Ends it immediately. */
  stop: () => void;
}

/** A failure in the rules of a team is theirs, whatever was changed last. */
const blame = (error: LandfallError, team: string | undefined): LandfallError =>
  team === undefined ? error : new LandfallError("POL_TEAM", { bundle: team, detail: error.message }, error);

const timeout = (limit: number): LandfallError => new LandfallError("ADM_TIMEOUT", { limit });

/** Starts a process with this first message, and ends it with SIGKILL if it loads or works on one request for too long. */
export function openWatched<Message extends { type: string }>(
  first: object,
  { entry, teams, env, limits, onMessage, onEnd, onTick }: Setup<Message>,
): WatchedProcess {
  const { loadMs, decisionMs } = limits;
  let began = performance.now() + START_MS;
  let [started, loaded] = [false, false];
  let ended = false;
  const child = openProcess<Message | Said>(first, {
    ...{ entry, env },
    onMessages: (messages) => {
      for (const message of messages) if (!ended) take(message);
    },
    onEnd: ({ detail, ofMemory }) => {
      end(new LandfallError("ADM_INTERNAL", { detail }), ofMemory);
    },
  });

  function stop(): void {
    ended = true;
    clearInterval(timer);
    child.kill();
  }

  function end(cause: LandfallError, ofMemory = false): void {
    if (ended) return;
    const { request, team } = child.progress();
    stop();
    onEnd({
      error: blame(cause, teams[team?.id ?? -1]),
      request: loaded ? (request?.id ?? null) : null,
      ofBundle: started && request?.id !== DATA,
      ofMemory,
    });
  }

  function take(message: Message | Said): void {
    if (message.type === "started") {
      started = true;
      began = performance.now();
    } else if (message.type === "failed") {
      const { code, params } = message as Extract<Said, { type: "failed" }>;
      end(new LandfallError(code, params));
    } else {
      if (message.type === "ready") loaded = true;
      onMessage(message as Message);
    }
  }

  const isStuck = stuckWatch(decisionMs);
  const isTeamStuck = stuckWatch(decisionMs / 2);
  const isTeamStuckInLoading = stuckWatch(loadMs / 3);
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const { request, team } = child.progress();
    if (!loaded) {
      if (isTeamStuckInLoading(team, nowMs)) end(timeout(loadMs / 3));
      else if (nowMs - began > loadMs) end(timeout(loadMs));
    } else if (isTeamStuck(team, nowMs)) end(timeout(decisionMs / 2));
    else if (isStuck(request, nowMs)) end(timeout(decisionMs));
    else onTick?.(nowMs);
  }, WATCH_MS);
  timer.unref();
  const send: WatchedProcess["send"] = (messages) => {
    child.send(messages);
  };
  return { send, stop };
}
