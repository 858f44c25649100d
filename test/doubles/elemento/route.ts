import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { textOrEmpty } from "./fields.ts";
import type { Fault } from "./settings.ts";
import type { Told } from "./refusal.ts";
import { Refusal, told } from "./refusal.ts";
import type { World } from "./world.ts";

/** A request as a handler sees it. */
export interface Asked {
  body: Record<string, unknown>;
  params: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, unknown>;
}

export type Handler = (asked: Asked) => Told;

const unauthorized: Told = told(401, { error: "unauthorized", message: "No active session" });

/** Whether the request has a valid session. */
function hasSession(world: World, { headers }: Asked): boolean {
  const { session } = world.settings;
  const cookie = /session_token=(\w+)/.exec(textOrEmpty(headers, "cookie"))?.[1];
  const token = /^Bearer (\w+)$/.exec(textOrEmpty(headers, "authorization"))?.[1];
  const key = { daemon: "daemon", cookie, token }[session];
  const end = key === undefined ? undefined : world.sessions.get(key);
  return end !== undefined && world.nowMs() < end;
}

const recent: WeakMap<World, number[]> = new WeakMap();

function tooMany(world: World): boolean {
  const nowMs = world.nowMs();
  const times = [...(recent.get(world) ?? []).filter((at) => at > nowMs - 1000), nowMs];
  recent.set(world, times);
  const { requestsPerSecond } = world.settings;
  return requestsPerSecond > 0 && times.length > requestsPerSecond;
}

const busy = ({ settings }: World): Told => ({
  ...told(429, { error: "rate_limit_exceeded" }),
  headers: { "retry-after": String(settings.retryAfterSeconds) },
});

/** A request that needs no session, such as a login, is not answered as if its session had ended. */
function drawFault({ settings, draw }: World, { open }: Route): { fault: Fault; after: boolean } | null {
  const [strikes, which, after] = [draw() < settings.faultRate, draw(), draw() < 0.5];
  const fault = settings.faults[Math.floor(which * settings.faults.length)];
  if (!strikes || fault === undefined || (fault === "expire" && open === true)) return null;
  return { fault, after };
}

function answer(handler: Handler, asked: Asked): Told {
  try {
    return handler(asked);
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.told;
    throw thrown;
  }
}

/** The effect of a fault on a request; null for a connection that breaks without an answer. */
async function strike(world: World, { fault, after }: { fault: Fault; after: boolean }, act: () => Told) {
  world.faults[fault] = (world.faults[fault] ?? 0) + 1;
  if (fault === "busy") return busy(world);
  if (fault === "expire") {
    world.sessions.clear();
    return unauthorized;
  }
  if (after) act();
  if (fault === "error") return told(500, { origin: "MESON", error: "InternalServerError", trace: "it broke" });
  if (fault === "hang") await sleep(world.settings.hangMs, undefined, { ref: false });
  return null;
}

const queues = new WeakMap<World, Promise<unknown>>();

/** Sequential, like a server with one thread. */
async function inTurn<T>(world: World, work: () => Promise<T>): Promise<T> {
  if (!world.settings.oneAtATime) return work();
  const turn = (queues.get(world) ?? Promise.resolve()).then(work, work);
  queues.set(
    world,
    turn.catch(() => undefined),
  );
  return turn;
}

const askedOf = (request: FastifyRequest): Asked => ({
  body: (request.body ?? {}) as Record<string, unknown>,
  params: request.params as Record<string, string>,
  query: request.query as Record<string, string>,
  headers: request.headers,
});

async function decide(world: World, asked: Asked, route: Route): Promise<Told | null> {
  const { handler, open } = route;
  const { latencyMs, faultRate } = world.settings;
  const [least, most] = latencyMs;
  const wait = least + world.draw() * (most - least);
  if (wait > 0) await inTurn(world, () => sleep(wait));
  if (tooMany(world)) return busy(world);
  if (!open && !hasSession(world, asked)) return unauthorized;
  const fault = faultRate > 0 ? drawFault(world, route) : null;
  const act = () => answer(handler, asked);
  return fault === null ? act() : await strike(world, fault, act);
}

export interface Route {
  method: "GET" | "POST" | "DELETE";
  path: string;
  handler: Handler;
  /** Needs no session. */
  open?: boolean;
}

function send(reply: FastifyReply, outcome: Told | null): unknown {
  if (outcome === null) {
    reply.hijack();
    reply.raw.destroy();
    return reply;
  }
  const { status, body, headers = {} } = outcome;
  return reply.code(status).headers(headers).send(body);
}

/** Serves a route with the latency, the limits and the faults of the settings. */
export function serve(app: FastifyInstance, world: World, route: Route): void {
  app.route({
    method: route.method,
    url: route.path,
    handler: async (request, reply) => {
      const outcome = await decide(world, askedOf(request), route);
      const key = `${route.method} ${route.path} ${String(outcome?.status ?? "none")}`;
      world.requests[key] = (world.requests[key] ?? 0) + 1;
      return send(reply, outcome);
    },
  });
}
