import type { ServerResponse } from "node:http";
import { apiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { LandfallError } from "../../errors.ts";
import { sha256 } from "../../model/sha256.ts";
import type { ConsoleApp } from "../routes/console-app.ts";
import { createTurns, type InTurn } from "../server/turns.ts";
import { type Asking, createChecks } from "./check-tokens.ts";
import { endOf } from "./token-of.ts";

/** Consoles that are kept. The least recently used one ends of those who have the most. */
const MOST_USERS = 64;
/** Consoles of one user, or of the service accounts of one namespace. A user has a token for each sign-in. The least recently used one ends. */
const MOST_TOKENS = 4;
/** Answers under way of one user: a browser's tabs with their streams. */
const MOST_ANSWERS = 64;
/**
 * How long a console is kept, in ms. Its lists and watches were allowed when they began: a right that someone loses since then ends here at
 * the latest.
 */
const LIFE_MS = 600_000;

const REVIEWS = apiPath`/apis/authentication.k8s.io/v1/selfsubjectreviews`;

interface Review {
  status?: { userInfo?: { username?: string } };
}

export interface UsersOptions {
  /** A client with the rights of a token alone. */
  clientOf: (token: string) => KubeClient;
  /** A console that answers with the rights of a client, and shares nothing that users can change with any other. */
  build: (client: KubeClient, inTurn: InTurn, user: string) => ConsoleApp;
  /** Ms of a clock that is never set back, and seconds since 1970. */
  nowMs: () => number;
  nowSeconds: () => number;
}

/** A console of its own for each user. */
export interface Users {
  /**
   * The console of a token that the API server accepts, and notes the answer that it will write. `address`: where the request is from. Throws REL_API…
   * with 401, CONSOLE_AGAIN.
   */
  consoleOf(token: string, reply: ServerResponse, address: string): Promise<ConsoleApp>;
  /** How many there are. */
  size(): number;
  stop(): Promise<void>;
}

interface Kept {
  /** Who shares what one user gets. */
  user: string;
  app: ConsoleApp;
  until: number;
  /** The answers that are under way: a stream of changes has no end of its own. */
  replies: Set<ServerResponse>;
}

/** Who has one share: a user, by the API server's name, or all service accounts of a namespace, which can make any number of them. */
const sharerOf = (username: string): string => username.replace(/^(system:serviceaccount:[^:]+):.*$/, "$1");

/** The console that ends: of a user with too many of them, otherwise of the users with the most, the least recently used one. Null if none has to. */
function endingOf(kept: ReadonlyMap<string, Kept>, user: string): string | null {
  const counts = new Map<string, number>();
  for (const one of kept.values()) counts.set(one.user, (counts.get(one.user) ?? 0) + 1);
  const isTooMany = (counts.get(user) ?? 0) > MOST_TOKENS;
  if (!isTooMany && kept.size <= MOST_USERS) return null;
  const most = Math.max(...counts.values());
  const ends = (one: Kept): boolean => (isTooMany ? one.user === user : counts.get(one.user) === most);
  for (const [key, one] of kept) if (ends(one)) return key;
  return null;
}

export function openUsers({ clientOf, build, nowMs, nowSeconds }: UsersOptions): Users {
  /** Hash of the token -> its console; the least recently used one first. A token itself is kept in its client alone. */
  const kept = new Map<string, Kept>();
  const checks = new Map<string, Promise<Kept>>();
  const turnsOf = createTurns();
  const checkToken = createChecks(nowMs);

  async function end(key: string): Promise<void> {
    const found = kept.get(key);
    if (found === undefined) return;
    kept.delete(key);
    for (const reply of found.replies) reply.destroy();
    await found.app.close();
  }

  const endOld = (): void => {
    for (const [key, { until }] of kept) if (nowMs() >= until) void end(key);
  };
  const timer = setInterval(endOld, 10_000);
  timer.unref();

  async function open(key: string, token: string): Promise<Kept> {
    const client = clientOf(token);
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const answer = await client.create<Review>(REVIEWS, review);
    const user = sharerOf(answer.status?.userInfo?.username ?? key);
    const app = build(client, turnsOf(user), user);
    await app.ready();
    const left = (endOf(token) ?? Infinity) - nowSeconds();
    const made: Kept = { user, app, until: nowMs() + Math.min(LIFE_MS, left * 1000), replies: new Set() };
    kept.set(key, made);
    const ending = endingOf(kept, user);
    if (ending !== null) void end(ending);
    return made;
  }

  /** Throws CONSOLE_AGAIN for a user who waits for so many answers already. */
  function checkShare(user: string): void {
    let underway = 0;
    for (const one of kept.values()) if (one.user === user) underway += one.replies.size;
    if (underway < MOST_ANSWERS) return;
    throw new LandfallError("CONSOLE_AGAIN", { detail: "too many of your requests are under way", seconds: 1 });
  }

  function check(asking: Asking, token: string): Promise<Kept> {
    const { key } = asking;
    const underway = checks.get(key);
    if (underway !== undefined) return underway;
    const checking = checkToken(asking, () => open(key, token)).finally(() => checks.delete(key));
    checks.set(key, checking);
    return checking;
  }

  return {
    async consoleOf(token, reply, address) {
      endOld();
      const key = sha256(token);
      const found = kept.get(key) ?? (await check({ address, key }, token));
      // The most recently used one is the last.
      if (kept.delete(key)) kept.set(key, found);
      checkShare(found.user);
      // Who left while the token was checked does not say so again.
      if (!reply.destroyed) {
        found.replies.add(reply);
        reply.once("close", () => found.replies.delete(reply));
      }
      return found.app;
    },
    size: () => kept.size,
    async stop() {
      clearInterval(timer);
      await Promise.all([...kept.keys()].map(end));
    },
  };
}
