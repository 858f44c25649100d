import type { DecisionLog } from "../../src/decision-log/open-log.ts";
import { asLandfallError, LandfallError } from "../../src/errors.ts";
import { answerReview, refusal, type Reply, type ReviewPath } from "../review/answer-review.ts";
import type { ReviewScan } from "../review/scan-review.ts";
import type { AwaitNamespace } from "./await-namespace.ts";
import type { RecentRefusals } from "./recent-refusals.ts";
import type { Intake } from "./intake.ts";
import type { RefusedInputs } from "./refused-inputs.ts";
import type { DecisionThread } from "./start-thread.ts";

/** A request is asked once more if it has waited for less than this, in ms: the API server gives up after 10 s. */
const AGAIN_MS = 5000;

export interface AskOptions {
  /** The thread that decides now; null before the first bundle. Rejects with what refuses all requests. */
  thread: () => Promise<DecisionThread | null>;
  decisionLog: Pick<DecisionLog, "ready"> | null;
  intake: Intake;
  refused: RefusedInputs;
  /** Remembers what rules deny. */
  refusals?: Pick<RecentRefusals, "add">;
  /** Called when the rules of a team failed for a request. */
  onFailedTeam?: () => void;
  /** Waits for the rules of a request's namespace. */
  namespaceKnown: AwaitNamespace;
}

type Ask = (path: ReviewPath, body: string, scan: Pick<ReviewScan, "namespace">) => Promise<Reply>;

const isRestart = (thrown: unknown): boolean => thrown instanceof LandfallError && thrown.code === "ADM_RESTARTING";

/**
 * Asks the thread that decides now. A request that waited when another one ended the thread is asked once more. Every
 * failure is a denial with a code.
 */
export function askSafely(options: AskOptions): Ask {
  const { thread, decisionLog, intake, refused, refusals, onFailedTeam, namespaceKnown } = options;
  async function once(path: ReviewPath, body: string, namespace: string | null): Promise<Reply> {
    const deciding = await thread();
    if (deciding === null) throw new LandfallError("BUNDLE_NONE");
    return deciding.ask(path, body, false, namespace ?? "");
  }

  async function twice(path: ReviewPath, body: string, namespace: string | null): Promise<Reply> {
    const began = performance.now();
    try {
      return await once(path, body, namespace);
    } catch (thrown) {
      if (!isRestart(thrown) || performance.now() - began > AGAIN_MS) throw thrown;
      return once(path, body, namespace);
    }
  }

  async function decide(path: ReviewPath, body: string, namespace: string | null): Promise<Reply> {
    const reason = refused.check(body, namespace);
    if (reason !== null) throw reason;
    const leave = intake.enter(namespace, body.length);
    try {
      if (namespace !== null) await namespaceKnown(namespace);
      await decisionLog?.ready();
      const reply = await twice(path, body, namespace);
      if (path === "/mutate") refusals?.add(body, namespace, reply.log);
      if (reply.log?.["failedTeam"] !== undefined) onFailedTeam?.();
      return reply;
    } finally {
      leave();
    }
  }

  return async (path, body, { namespace }) => {
    try {
      return await decide(path, body, namespace);
    } catch (thrown) {
      return answerReview<never>(body, () => refusal(asLandfallError(thrown)));
    }
  };
}
