import type { Told } from "./refusal.ts";
import type { Route } from "./route.ts";
import { told } from "./refusal.ts";
import type { World } from "./world.ts";

const PREFIX = "/api/v1/authenticate";
const LONG = 1e12;

function open(world: World): Told {
  const { session, sessionMs } = world.settings;
  const key = session === "daemon" ? "daemon" : world.hex();
  world.sessions.set(key, world.nowMs() + (sessionMs || LONG));
  const body = { authenticated: true, ...(session === "token" ? { token: key } : {}) };
  if (session !== "cookie") return told(200, body);
  return { status: 200, body, headers: { "set-cookie": `session_token=${key}; HttpOnly; Secure; SameSite=Lax` } };
}

/** Login, status and logout. The status needs no session: it reports whether there is one. */
export function authentication(world: World): Route[] {
  const login = (fields: Record<string, unknown>): Told => {
    const { username, password, refusal } = world.settings;
    world.logins += 1;
    if (fields["username"] === username && fields["password"] === password) return open(world);
    return refusal === "false"
      ? told(200, { authenticated: false })
      : told(401, { error: "unauthorized", message: `Wrong password ${String(fields["password"])}` });
  };
  const isOpen = (): boolean => [...world.sessions.values()].some((end) => world.nowMs() < end);
  return [
    { method: "POST", path: `${PREFIX}/login`, open: true, handler: ({ body }) => login(body) },
    { method: "GET", path: `${PREFIX}/login`, open: true, handler: ({ query }) => login(query) },
    {
      method: "GET",
      path: `${PREFIX}/status`,
      open: true,
      handler: () => told(200, { authenticated: isOpen(), username: isOpen() ? world.settings.username : null }),
    },
    {
      method: "POST",
      path: `${PREFIX}/logout`,
      open: true,
      handler: () => {
        world.sessions.clear();
        return told(200);
      },
    },
  ];
}
