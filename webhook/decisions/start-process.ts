import { asLandfallError, LandfallError } from "../../src/errors.ts";
import type { ClusterEvent } from "../../src/external-data/cluster-data.ts";
import type { Advice, SchedulerRequest } from "../../src/model/advice.ts";
import type { Claim } from "../../src/external-data/ledger/ledger-entry.ts";
import type { Ledger } from "../../src/external-data/ledger/open-ledger.ts";
import type { Caller } from "../../src/model/caller.ts";
import type { Reply, ReviewPath } from "../review/answer-review.ts";
import type { BundleIdentity, FromProcess, ProcessData, ToldEvent, TrialInput } from "./messages.ts";
import { packed } from "../../src/bundle/signature/packed-trust.ts";
import type { Environment } from "../../src/policy/process/open-process.ts";
import { teamNames } from "../../src/policy/process/watch-teams.ts";
import { openWatched, type ProcessEnd } from "../../src/policy/process/watched-process.ts";
import { uptimeMs } from "../../src/processes/uptime-ms.ts";
import { busy, expire, type FatalRequest, type Pending } from "./pending.ts";
import { sendTogether } from "./send-together.ts";
import { Slots } from "./slots.ts";
import { type Reserved, withdrawalOf } from "./withdrawal-of.ts";

/** A bundle that takes longer to load is rejected: it probably loops. */
const LOAD_MS = 30_000;
/** Why a process ended, and the request that it worked on; null if it worked on none. */
export interface DecisionEnd {
  error: LandfallError;
  fatalRequest: FatalRequest | null;
  /** Whether it ended for want of memory; false if omitted. */
  ofMemory?: boolean;
}

/** About a request: `quiet` keeps it out of the decision log. */
export interface AskedBy {
  quiet?: boolean;
  namespace?: string;
  /** Who sent the object; empty or omitted if that is not known. */
  user?: string;
  /** Omitted if it was authenticated. */
  caller?: Caller | undefined;
}

/** A process that decides with one set of bundles, one request after the other. */
export interface DecisionProcess {
  /** Resolves when the bundle has been loaded and probed; rejects with what loading it threw, or with ADM_RESTARTING if no bundle was at work. */
  readonly ready: Promise<BundleIdentity>;
  /** The data for a comparison with another bundle; empty until it is ready. */
  trial(): TrialInput;
  /** Whether it ended for want of memory. */
  wantedMemory(): boolean;
  /** Resolves with the reason if the process ends without `stop`. */
  readonly ended: Promise<DecisionEnd>;
  /**
   * Callers and namespaces are served in turn. Rejects with ADM_TIMEOUT, ADM_INTERNAL or POL_TEAM if this request ends the process, with
   * ADM_RESTARTING if another one does, and with ADM_BUSY if it waits too long.
   */
  ask(path: ReviewPath, body: string, about?: AskedBy): Promise<Reply>;
  tell(event: ToldEvent): void;
  /** Stops the process after all requests are answered. */
  stop(): Promise<void>;
}

export interface ProcessOptions extends Omit<ProcessData, "consults" | "others" | "absent" | "slowMs"> {
  others?: ProcessData["others"];
  absent?: ProcessData["absent"];
  /** Asks the external scheduler within its time budget; omitted if there is none. Never rejects. */
  consult?: (request: SchedulerRequest) => Promise<Advice>;
  /** How long a request waits for its answer at most, in ms. One decision may take half of it. */
  timeoutMs: number;
  /** Called with the event of an admitted object, before the object is seen in the cluster; `decider` admitted it. */
  onReserved: (event: ClusterEvent, decider: DecisionProcess) => void;
  /** Tells the other replicas what a decision takes; omitted if there is none. */
  ledger?: Pick<Ledger, "claim" | "withdraw">;
  /** The environment of this process; the new one gets little of it. All of it if omitted. */
  env?: Environment | undefined;
  /** Evaluations of a team's rules above this processor time (ms) are passed to `onSlowTeam`; none if omitted. */
  slowMs?: number;
  onSlowTeam?: (team: string, namespace: string, ms: number) => void;
  /** Receives lines of the decision log. */
  onDecision?: (line: string) => void;
  /** Time limit of loading in ms. */
  loadMs?: number;
}

type Replied = Extract<FromProcess, { type: "reply" }>;

const fatalRequestOf = ({ path, body, caller }: FatalRequest): FatalRequest => ({
  path,
  body,
  ...(caller === undefined ? {} : { caller }),
});

/** The result of a claim, whose time the traced reply gets. */
async function timed<T>({ stages }: Reply, claiming: Promise<T>): Promise<T> {
  const beganMs = uptimeMs();
  try {
    return await claiming;
  } finally {
    stages?.push({ stage: "claim", beganMs, endedMs: uptimeMs() });
  }
}

/**
 * Starts a process that decides with these bundles. It loads next to the active one, so that swapping takes no time. A policy that
 * loops or exhausts memory ends only that process: V8 ends a whole process if one allocation does not fit.
 */
export function startProcess(options: ProcessOptions): DecisionProcess {
  const { others = [], absent = [], slowMs = Infinity, loadMs = LOAD_MS, timeoutMs, ...about } = options;
  const { onReserved, ledger, onDecision, onSlowTeam, consult, env, ...rest } = about;
  const data: ProcessData = { ...rest, others, absent, slowMs, consults: consult !== undefined };
  const worker = openWatched<FromProcess>(packed(data), {
    ...{ entry: new URL("process/decision-process.ts", import.meta.url), env, teams: teamNames(others) },
    limits: { loadMs, decisionMs: timeoutMs / 2 },
    onMessage: take,
    onEnd: finish,
    onTick: (nowMs) => {
      expire(pending.all(), nowMs - timeoutMs);
    },
  });
  const pending = new Slots<Pending>();
  const ready = Promise.withResolvers<BundleIdentity>();
  const ended = Promise.withResolvers<DecisionEnd>();
  let trial: TrialInput = { denies: [], announced: [], times: { platformMs: 0, teamsMs: {} } };
  let loaded = false;
  let end: LandfallError | null = null;
  let wantedMemory = false;
  let onDrained = (): void => undefined;
  // No one needs to wait for `ready`: without this, a failure would be an unhandled rejection.
  ready.promise.catch(() => undefined);

  function finish({ error, request, ofBundle, ofMemory }: ProcessEnd): void {
    ready.reject(ofBundle ? error : new LandfallError("ADM_RESTARTING", {}, error));
    wantedMemory = ofMemory;
    const fatalRequest = request === null ? null : (pending.get(request) ?? null);
    end = loaded ? new LandfallError("ADM_RESTARTING", {}, error) : error;
    for (const one of pending.all()) one.reject(one === fatalRequest ? error : end);
    pending.clear();
    onDrained();
    ended.resolve({ error, fatalRequest: fatalRequest && fatalRequestOf(fatalRequest), ofMemory });
  }

  const send = sendTogether((messages) => {
    worker.send(messages);
  });
  const decider: DecisionProcess = {
    ready: ready.promise,
    trial: () => trial,
    wantedMemory: () => wantedMemory,
    ended: ended.promise,
    ask: (path, body, { quiet = false, namespace = "", user = "", caller } = {}) =>
      new Promise((resolve, reject) => {
        if (end !== null) {
          reject(end);
          return;
        }
        const asked = { path, body, ...(caller === undefined ? {} : { caller }) };
        const id = pending.add({
          ...asked,
          resolve,
          reject,
          since: performance.now(),
          namespace,
          user,
          expired: false,
        });
        send({ type: "ask", id, ...asked, quiet, untilMs: uptimeMs() + timeoutMs, namespace, user });
      }),
    tell: (event) => {
      send({ type: "event", event });
    },
    stop: async () => {
      if (pending.size > 0) await new Promise<void>((resolve) => void (onDrained = resolve));
      end ??= new LandfallError("ADM_INTERNAL", { detail: "the webhook stops" });
      worker.stop();
    },
  };

  function finishReply({ id, event, reply }: Replied): void {
    if (event !== null) onDecision?.(event);
    pending.take(id)?.resolve(reply);
    if (pending.size === 0) onDrained();
  }

  /** Nothing is stored of a request that was refused meanwhile, so its reservation must not count as an object that was not stored. */
  function withdraw(reserved: Reserved): void {
    const withdrawn = withdrawalOf(reserved);
    onReserved(withdrawn, decider);
    decider.tell(withdrawn);
  }

  function answered(replied: Replied): void {
    const { id, reserved, claim } = replied;
    const waiting = pending.get(id);
    if (waiting?.expired === true) {
      if (waiting.path === "/mutate" && reserved?.type === "reservation") withdraw(reserved);
      finishReply(replied);
      return;
    }
    if (reserved !== null) onReserved(reserved, decider);
    if (claim === null || ledger === undefined || waiting === undefined) finishReply(replied);
    else void settle(replied, claim, waiting, ledger);
  }

  /** Answers when the other replicas know of it, and decides again if one of them took the place. */
  async function settle(
    replied: Replied,
    claimed: Claim,
    waiting: Pending,
    book: Pick<Ledger, "claim" | "withdraw">,
  ): Promise<void> {
    const result = await timed(replied.reply, book.claim(claimed, decider)).catch(asLandfallError);
    if (end !== null) return;
    if (result === "taken" && !waiting.expired) {
      finishReply(replied);
      return;
    }
    if (result === "taken") book.withdraw(claimed);
    withdraw(claimed);
    const { id } = replied;
    if (result === "again" && !waiting.expired) {
      const { namespace, user } = waiting;
      const asked = fatalRequestOf(waiting);
      send({ type: "ask", id, ...asked, quiet: false, untilMs: uptimeMs() + timeoutMs, namespace, user, again: true });
      return;
    }
    if (result instanceof LandfallError) pending.take(id)?.reject(result);
    else pending.take(id);
    if (pending.size === 0) onDrained();
  }

  function dropped(id: number): void {
    pending.take(id)?.reject(busy());
    if (pending.size === 0) onDrained();
  }

  function take(message: FromProcess): void {
    if (message.type === "reply") answered(message);
    else if (message.type === "dropped") dropped(message.id);
    else if (message.type === "slow") onSlowTeam?.(message.team, message.namespace, message.ms);
    else if (message.type === "consult") {
      const { id, request } = message;
      void consult?.(request).then((advice) => {
        if (end === null) send({ type: "advice", id, advice });
      });
    } else {
      loaded = true;
      ({ trial } = message);
      ready.resolve(message.bundle);
    }
  }

  return decider;
}
