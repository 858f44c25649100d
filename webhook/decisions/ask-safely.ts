import type { DecisionLog } from "../../src/decision-log/open-log.ts";
import { asLandfallError, LandfallError } from "../../src/errors.ts";
import { answerReview, refusal, type Reply, type ReviewPath } from "../review/answer-review.ts";
import type { ReviewScan } from "../review/scan-review.ts";
import type { AwaitNamespace } from "./limits/await-namespace.ts";
import type { RecentRefusals } from "./limits/recent-refusals.ts";
import type { Intake } from "./limits/intake.ts";
import type { RefusedInputs } from "./limits/refused-inputs.ts";
import type { AskedBy, DecisionProcess } from "./start-process.ts";
import { AUTHENTICATED, type Caller } from "../../src/model/caller.ts";
import type { SourceLimit } from "../authentication/limit-sources.ts";
import { type ReadStored, withStored } from "../authentication/read-stored.ts";

/** A request is asked again if it has waited for less than this, in ms: the API server gives up after 10 s. */
const AGAIN_MS = 5000;

export interface AskOptions {
  /** The process that decides now; null before the first bundle. Rejects with what refuses all requests of a namespace. */
  decider: (namespace: string | null) => Promise<DecisionProcess | null>;
  decisionLog: Pick<DecisionLog, "ready"> | null;
  intake: Intake;
  refused: RefusedInputs;
  /** Remembers what rules deny. */
  refusals?: Pick<RecentRefusals, "add">;
  /** Called when the rules of a team failed for a request. */
  onFailedTeam?: () => void;
  /** Waits for the rules of a request's namespace. */
  namespaceKnown: AwaitNamespace;
  /** Limits unauthenticated callers, and replaces what they say of stored objects; omitted if there are none. */
  unauthenticated?: { limit: Pick<SourceLimit, "count">; read: ReadStored };
}

type Ask = (path: ReviewPath, body: string, scan: Pick<ReviewScan, "namespace">, caller?: Caller) => Promise<Reply>;

/** The scope that failures count against: the namespace, or an unauthenticated caller, which may name any namespace. */
export const scopeOf = (namespace: string | null, { authentication, source }: Caller = AUTHENTICATED): string | null =>
  authentication === "none" ? `${namespace ?? ""} (asked by ${source})` : namespace;

const isRestart = (thrown: unknown): boolean => thrown instanceof LandfallError && thrown.code === "ADM_RESTARTING";

/**
 * Asks the process that decides now. A request that waited when another one ended the process is asked again. Every
 * failure is a denial with a code.
 */
export function askSafely(options: AskOptions): Ask {
  const { decider, decisionLog, intake, refused, refusals, onFailedTeam, namespaceKnown, unauthenticated } = options;
  async function once(path: ReviewPath, body: string, about: AskedBy): Promise<Reply> {
    const deciding = await decider(about.namespace ?? null);
    if (deciding === null) throw new LandfallError("BUNDLE_NONE");
    return deciding.ask(path, body, about);
  }

  async function twice(path: ReviewPath, body: string, about: AskedBy): Promise<Reply> {
    const began = performance.now();
    try {
      return await once(path, body, about);
    } catch (thrown) {
      if (!isRestart(thrown) || performance.now() - began > AGAIN_MS) throw thrown;
      return once(path, body, about);
    }
  }

  async function decide(path: ReviewPath, body: string, namespace: string | null): Promise<Reply> {
    if (namespace !== null) await namespaceKnown(namespace);
    await decisionLog?.ready();
    const reply = await twice(path, body, { namespace: namespace ?? "" });
    if (path === "/mutate") refusals?.add(body, namespace, reply.log);
    if (reply.log?.["failedTeam"] !== undefined) onFailedTeam?.();
    return reply;
  }

  /** Nothing is remembered of an unauthenticated caller. */
  async function decideUnauthenticated(
    path: ReviewPath,
    body: string,
    { namespace, caller }: { namespace: string | null; caller: Caller },
  ): Promise<Reply> {
    if (unauthenticated === undefined) throw new LandfallError("ADM_CLIENT_CERTIFICATE");
    if (namespace !== null) await namespaceKnown(namespace);
    const asked = path === "/mutate" ? await withStored(body, unauthenticated.read) : body;
    return twice(path, asked, { namespace: namespace ?? "", caller });
  }

  async function admitted(path: ReviewPath, body: string, namespace: string | null, caller: Caller): Promise<Reply> {
    const isUnauthenticated = caller.authentication === "none";
    if (isUnauthenticated) unauthenticated?.limit.count(caller.source);
    const scope = scopeOf(namespace, caller);
    const reason = refused.check(body, scope);
    if (reason !== null) throw reason;
    const leave = intake.enter(scope, body.length);
    try {
      return await (isUnauthenticated
        ? decideUnauthenticated(path, body, { namespace, caller })
        : decide(path, body, namespace));
    } finally {
      leave();
    }
  }

  return async (path, body, { namespace }, caller = AUTHENTICATED) => {
    try {
      return await admitted(path, body, namespace, caller);
    } catch (thrown) {
      return answerReview<never>(body, () => refusal(asLandfallError(thrown)));
    }
  };
}
