import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { addChangesRoute } from "../../../../src/console/routes/changes-route.ts";
import type { ConsoleApp, ContractTypes } from "../../../../src/console/routes/console-app.ts";
import type { Store } from "../../../../src/console/objects/open-store.ts";
import fastify from "fastify";

const apps: ConsoleApp[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

/** A console whose first list ends when the test says so. */
async function console() {
  const listed = Promise.withResolvers<Store>();
  const listeners = new Set<unknown>();
  const asked = vi.fn();
  const store: Store = {
    ...{ rows: () => Promise.resolve([]), first: () => null, isCurrent: () => true, stop: () => undefined },
    readers: () => listeners.size,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const app = fastify({ forceCloseConnections: true }).withTypeProvider<ContractTypes>();
  apps.push(app);
  const stores = {
    stop: () => undefined,
    of: () => {
      asked();
      return listed.promise;
    },
  };
  addChangesRoute(app, stores, { listen: () => () => undefined });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const open = () => {
    const page = request({ host: "127.0.0.1", port, path: "/api/changes?namespace=demo", agent: false });
    page.on("error", () => undefined).end();
    return page;
  };
  return {
    app,
    open,
    asked,
    listeners,
    list: () => {
      listed.resolve(store);
    },
  };
}

it("340: a page that leaves before the first list leaves no listener", async () => {
  const { app, open, asked, listeners, list } = await console();
  const pages = Array.from({ length: 20 }, open);
  await vi.waitFor(() => {
    expect(asked).toHaveBeenCalledTimes(20);
  });
  for (const page of pages) page.destroy();
  await vi.waitFor(async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    app.server.getConnections((_, count) => {
      resolve(count);
    });
    expect(await promise).toBe(0);
  });
  list();
  await wait(50);
  expect(listeners.size).toBe(0);
});

it("340: a stream ends with its console", async () => {
  const { app, open, listeners, list } = await console();
  list();
  open();
  await vi.waitFor(() => {
    expect(listeners.size).toBe(1);
  });
  await app.close();
  expect(listeners.size).toBe(0);
});
