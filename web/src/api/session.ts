import type { Session } from "../../../src/console/contract/session.ts";

// The session is kept in this tab alone, and passed to other tabs of the same address. A cookie would not do: browsers send a cookie to every
// port of 127.0.0.1, and so to any other program there.

const KEY = "landfall-session";
const ANSWER_MS = 200;

type Message = { ask: true } | { session: string };

const channel = new BroadcastChannel("landfall-console");
let session: string | null = sessionStorage.getItem(KEY);
const listeners = new Set<() => void>();

function keep(found: string): void {
  session = found;
  sessionStorage.setItem(KEY, found);
  for (const listener of listeners) listener();
}

channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
  if ("session" in data) {
    if (data.session !== session) keep(data.session);
  } else if (session !== null) channel.postMessage({ session } satisfies Message);
});

/** The session of this tab; null if it is not signed in. */
export const currentSession = (): string | null => session;

/** Forgets the session that the server does not know. */
export function forget(refused: string | null): void {
  if (refused === null || session !== refused) return;
  session = null;
  sessionStorage.removeItem(KEY);
}

/** Calls `listener` when this tab is signed in, by its own address or by another tab. */
export function onSignIn(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Takes the one-time token out of the address, so that neither the history nor a copied address has it. */
function takeToken(): string | null {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (token !== null) history.replaceState(history.state, "", location.pathname + location.search);
  return token;
}

async function exchange(token: string): Promise<void> {
  const answer = await fetch("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (!answer.ok) return;
  const { session: found } = (await answer.json()) as Session;
  keep(found);
  channel.postMessage({ session: found } satisfies Message);
}

/** Another tab that is signed in passes its session on. */
function askOtherTabs(): Promise<void> {
  return new Promise((resolve) => {
    const stop = onSignIn(done);
    const timer = setTimeout(done, ANSWER_MS);
    function done(): void {
      stop();
      clearTimeout(timer);
      resolve();
    }
    channel.postMessage({ ask: true } satisfies Message);
  });
}

/** Signs this tab in by the token of its address, or by another tab. */
export async function signIn(): Promise<void> {
  const token = takeToken();
  if (token !== null) await exchange(token).catch(() => undefined);
  if (session === null) await askOtherTabs();
}
