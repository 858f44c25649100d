import type { DecisionLog } from "../../src/decision-log/open-log.ts";
import { asLandfallError, LandfallError } from "../../src/errors.ts";
import {
  answerReview,
  errorReply,
  refusal,
  refuseReview,
  type Reply,
  type ReviewPath,
} from "../review/answer-review.ts";
import type { ReviewScan } from "../review/scan-review.ts";
import type { AwaitNamespace } from "./limits/await-namespace.ts";
import type { RecentRefusals } from "./limits/recent-refusals.ts";
import type { Intake } from "./limits/intake.ts";
import type { RefusedInputs } from "./limits/refused-inputs.ts";
import type { AskedBy, DecisionProcess } from "./start-process.ts";
import { AUTHENTICATED, type Caller } from "../../src/model/caller.ts";
import type { SourceLimit } from "../authentication/limit-sources.ts";
import { composeReview } from "../authentication/compose-review.ts";
import { type ReadStored, withStored } from "../authentication/read-stored.ts";
import { checkForged } from "../review/refuse-large.ts";

/** Those of the API server have 36 characters. */
const LONGEST_UID = 256;
/** Characters of JSON. */
const LONGEST_USER = 2048;
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

type Ask = (path: ReviewPath, body: string, scan: ReviewScan, caller?: Caller) => Promise<Reply>;

/** The scope that failures count against: the namespace, or an unauthenticated caller, which may name any namespace. */
export const scopeOf = (namespace: string | null, { authentication, source }: Caller = AUTHENTICATED): string | null =>
  authentication === "none" ? `${namespace ?? ""} (asked by ${source})` : namespace;

/** Who sent the object, as the API server says; null if the name is missing or unusually long. */
function userOf(body: string, { parts }: ReviewScan): string | null {
  const part = parts.user.get("username");
  if (part === undefined || part.characters > LONGEST_USER) return null;
  try {
    const name: unknown = JSON.parse(body.slice(part.start, part.end));
    return typeof name === "string" ? name : null;
  } catch {
    return null;
  }
}

const isRestart = (thrown: unknown): boolean => thrown instanceof LandfallError && thrown.code === "ADM_RESTARTING";

/**
 * Asks the process that decides now. A request that waited when another one ended the process is asked again. Every
 * failure is a denial with a code.
 */
export function askSafely(options: AskOptions): Ask {
  const { decider, decisionLog, intake, refused, refusals, onFailedTeam, namespaceKnown, unauthenticated } = options;
  async function deciding({ namespace = null }: { namespace?: string | null }): Promise<DecisionProcess> {
    const process = await decider(namespace);
    if (process === null) throw new LandfallError("BUNDLE_NONE");
    return process;
  }

  async function twice(path: ReviewPath, body: string, about: AskedBy): Promise<Reply> {
    const began = performance.now();
    try {
      return await (await deciding(about)).ask(path, body, about);
    } catch (thrown) {
      if (!isRestart(thrown) || performance.now() - began > AGAIN_MS) throw thrown;
      const again = await deciding(about);
      // The end may have been one too many of its namespace, whose other requests would end the new process in turn.
      checkRefused(body, scopeOf(about.namespace ?? null, about.caller), about.caller);
      return again.ask(path, body, about);
    }
  }

  function checkRefused(body: string, scope: string | null, caller?: Caller): void {
    const reason = refused.check(body, scope, caller);
    if (reason !== null) throw reason;
  }

  async function decide(
    path: ReviewPath,
    body: string,
    { namespace, user }: { namespace: string | null; user: string | null },
  ): Promise<Reply> {
    if (namespace !== null) await namespaceKnown(namespace);
    await decisionLog?.ready();
    const reply = await twice(path, body, { namespace: namespace ?? "", user: user ?? "" });
    if (path === "/mutate") refusals?.add(body, namespace, reply.log);
    if (reply.log?.["failedTeam"] !== undefined) onFailedTeam?.();
    return reply;
  }

  /** Runs the work for a request, unless its content or the load refuses it. */
  async function admitted(
    body: string,
    { namespace, caller, user = null }: { namespace: string | null; caller: Caller; user?: string | null },
    work: () => Promise<Reply>,
  ): Promise<Reply> {
    const scope = scopeOf(namespace, caller);
    checkRefused(body, scope, caller);
    const leave = intake.enter(scope, body.length, user);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Nothing is remembered of an unauthenticated caller, and only the process that decides parses what it wrote. */
  async function decideUnauthenticated(
    path: ReviewPath,
    body: string,
    { scan, caller }: { scan: ReviewScan; caller: Caller },
  ): Promise<Reply> {
    if (unauthenticated === undefined) throw new LandfallError("ADM_CLIENT_CERTIFICATE");
    const { limit, read } = unauthenticated;
    const { namespace } = scan;
    limit.count(caller.source);
    checkForged(scan);
    const said = path === "/mutate" ? composeReview(body, scan, "null") : composeReview(body, scan);
    return admitted(said, { namespace, caller }, async () => {
      if (namespace !== null) await namespaceKnown(namespace);
      const asked = path === "/mutate" ? await withStored(body, read, scan) : said;
      return twice(path, asked, { namespace: namespace ?? "", caller });
    });
  }

  return async (path, body, scan, caller = AUTHENTICATED) => {
    const { namespace, uid } = scan;
    if (caller.authentication === "none")
      return decideUnauthenticated(path, body, { scan, caller }).catch((thrown: unknown) => {
        const error = asLandfallError(thrown);
        return uid === null || uid.length > LONGEST_UID ? errorReply(error, 400) : refuseReview(uid, error);
      });
    try {
      const user = userOf(body, scan);
      return await admitted(body, { namespace, caller, user }, () => decide(path, body, { namespace, user }));
    } catch (thrown) {
      return answerReview<never>(body, () => refusal(asLandfallError(thrown)));
    }
  };
}
