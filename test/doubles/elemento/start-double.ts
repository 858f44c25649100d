import type { AddressInfo } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { fastify } from "fastify";
import { authentication } from "./authentication.ts";
import { clusters } from "./clusters.ts";
import { compute } from "./compute.ts";
import type { Counts } from "./counts.ts";
import { counts } from "./counts.ts";
import { network } from "./network.ts";
import { serve } from "./route.ts";
import type { Settings } from "./settings.ts";
import { USUAL } from "./settings.ts";
import { storage } from "./storage.ts";
import { World } from "./world.ts";

export interface Double {
  /** One address for all services, which are distinguished by path. */
  url: string;
  world: World;
  counts(): Counts;
  change(settings: Partial<Settings>): void;
  close(): Promise<void>;
}

export interface DoubleOptions {
  settings?: Partial<Settings>;
  seed?: number;
  port?: number;
  nowMs?: () => number;
}

/** A path may contain a description as base64; fastify's limit is a hundred characters. */
const PATH_LENGTH = 8192;

/** The only file of a multipart body: its name, and its text up to the closing boundary. */
function readFile(body: string): Record<string, unknown> {
  const [, boundary = "", head = "", rest = ""] = /^(--[^\r\n]+)\r\n([^]*?)\r\n\r\n([^]*)$/.exec(body) ?? [];
  const filename = /name="file"; filename="([^"]+)"/.exec(head)?.[1];
  return { filename, text: rest.slice(0, rest.indexOf(`\r\n${boundary}`)) };
}

/** Controls of the double itself: counts, settings, the end of all sessions. */
function control(world: World, change: (settings: Partial<Settings>) => void) {
  return {
    "GET /_control/counts": () => counts(world),
    "POST /_control/settings": (body: unknown) => {
      change(body as Partial<Settings>);
      return world.settings;
    },
    "POST /_control/expire": () => {
      world.sessions.clear();
      return {};
    },
    /** Makes a machine disappear at Elemento. */
    "POST /_control/lose": (body: unknown) => {
      const { name } = body as { name: string };
      const lost = world.alive(world.vms).filter((vm) => vm.name === name);
      for (const vm of lost) vm.timeline = [];
      return { lost: lost.length };
    },
  };
}

/** Emulates Elemento's services on 127.0.0.1. */
export async function startDouble({ settings = {}, seed = 1, port = 0, nowMs }: DoubleOptions = {}): Promise<Double> {
  const world = new World({ ...USUAL, ...settings }, { seed, ...(nowMs ? { nowMs } : {}) });
  const app = fastify({ forceCloseConnections: true, routerOptions: { maxParamLength: PATH_LENGTH } });
  app.addContentTypeParser("multipart/form-data", { parseAs: "string" }, (_request, body, done) => {
    done(null, readFile(String(body)));
  });
  const routes = [authentication, compute, storage, network, clusters].flatMap((service) => service(world));
  for (const route of routes) serve(app, world, route);

  const change = (changed: Partial<Settings>) => {
    world.settings = { ...world.settings, ...changed };
  };
  for (const [route, handler] of Object.entries(control(world, change))) {
    const [method, url] = route.split(" ") as ["GET" | "POST", string];
    app.route({
      method,
      url,
      handler: async (request: FastifyRequest, reply: FastifyReply) => reply.send(handler(request.body)),
    });
  }
  await app.listen({ host: "127.0.0.1", port });
  const { port: bound } = app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(bound)}`,
    world,
    counts: () => counts(world),
    change,
    close: () => app.close(),
  };
}
