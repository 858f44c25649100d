import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient, ReadOptions } from "../../../src/cluster/client/create-client.ts";
import type { Overview } from "../../../src/console/contract/overview.ts";
import type { Rows } from "../../../src/console/contract/rows.ts";
import { API_VERSION, COMPOSITION_GROUP, type Kind, PLURAL } from "../../../src/model/names.ts";
import { testConsole } from "../../support/console/console-app.ts";

const BASE = `/apis/${API_VERSION}`;
const KINDS = ["VmTemplate", "KaasCluster"] as const;

const named = (kind: Kind, name: string) => ({
  ...{ apiVersion: API_VERSION, kind, metadata: { name, namespace: "demo", uid: name, resourceVersion: "1" } },
});

interface Held {
  client: KubeClient;
  /** Answers the requests for second pages, and all that come later. */
  go: () => void;
  /** Lets them fail instead. */
  fail: () => void;
}

/** An API server with VmTemplates in pages of 150, and some KaasClusters in one. It keeps the second page back. */
function heldBack(vms: number, clusters: readonly string[] = [], says = true): Held {
  const second = Promise.withResolvers<undefined>();
  second.promise.catch(() => undefined);
  const all = Array.from({ length: vms }, (_, at) => named("VmTemplate", `job-${String(at).padStart(4, "0")}`));
  const resources = KINDS.map((kind) => ({ kind, name: PLURAL[kind], namespaced: true, verbs: ["list", "watch"] }));
  async function listed(kind: Kind, from: number): Promise<object> {
    if (from > 0) await second.promise;
    const items = kind === "VmTemplate" ? all : clusters.map((name) => named("KaasCluster", name));
    const left = items.length - from - 150;
    const follows = left > 0 ? { continue: String(from + 150), ...(says ? { remainingItemCount: left } : {}) } : {};
    const metadata = { resourceVersion: "9", ...follows };
    return { apiVersion: API_VERSION, kind: `${kind}List`, items: items.slice(from, from + 150), metadata };
  }
  async function get(path: string, { query = {} }: ReadOptions = {}): Promise<unknown> {
    if (path === `/apis/${COMPOSITION_GROUP}`) return { versions: [{ groupVersion: API_VERSION }] };
    if (path === BASE) return { resources };
    const kind = KINDS.find((one) => path === `${BASE}/${PLURAL[one]}`);
    if (kind === undefined) throw new ApiError(404, { action: path, detail: "not served" });
    return listed(kind, Number(query["continue"] ?? 0));
  }
  // oxlint-disable-next-line require-yield
  async function* silent(signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
    await sleep(60_000, undefined, { signal }).catch(() => undefined);
  }
  const never = (path: string): Promise<never> => Promise.reject(new ApiError(405, { action: path, detail: "none" }));
  return {
    client: {
      get: get as KubeClient["get"],
      stream: (_path, { signal }) => Promise.resolve(silent(signal)),
      ...{ create: never, replace: never, patch: never, remove: never, close: () => Promise.resolve() },
    },
    go: () => {
      second.resolve(undefined);
    },
    fail: () => {
      second.reject(new ApiError(503, { action: "GET", detail: "the API server is starting" }));
    },
  };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Reads from the console of this API server. */
async function reader(client: KubeClient) {
  const { app, signIn } = await testConsole(client);
  closing.push(() => app.close());
  const headers = await signIn();
  return async <T>(url: string): Promise<T> => (await app.inject({ url, headers })).json<T>();
}

const isPending = async (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => false), sleep(100).then(() => true)]);

describe("a list that is still being read", () => {
  it("gives the first rows by name, says how many there are about, and then the same rows of the whole", async () => {
    const { client, go } = heldBack(400);
    const read = await reader(client);
    const first = await read<Rows>("/api/objects?limit=100");
    expect(first).toMatchObject({ total: 150, all: 150, whole: false, about: 400, current: false });
    expect(first.rows.at(-1)?.name).toBe("job-0099");
    go();
    const whole = await read<Rows>("/api/objects?limit=100&offset=300");
    expect(whole).toMatchObject({ total: 400, all: 400, whole: true, about: null });
    expect((await read<Rows>("/api/objects?limit=100")).rows).toEqual(first.rows);
  });

  it.each([
    ["another order", "sort=grams"],
    ["the last names first", "order=descending"],
    ["a later page", "offset=100"],
    ["a filter that the first rows do not fill", "search=0005"],
  ])("waits for the whole list where only it gives the answer: %s", async (_what, query) => {
    const { client, go } = heldBack(400);
    const read = await reader(client);
    const answer = read<Rows>(`/api/objects?limit=100&${query}`);
    expect(await isPending(answer)).toBe(true);
    go();
    expect(await answer).toMatchObject({ all: 400, whole: true });
  });

  it("shows no row of one kind before rows of another that have not been read", async () => {
    const { client, go } = heldBack(400, ["a", "z"]);
    const read = await reader(client);
    const first = await read<Rows>("/api/objects?limit=151");
    expect(first).toMatchObject({ all: 152, total: 152, about: 402, whole: false });
    expect(first.rows.map(({ name }) => name)).not.toContain("z");
    const answer = read<Rows>("/api/objects?limit=2&kind=KaasCluster");
    expect(await isPending(answer)).toBe(true);
    go();
    expect((await answer).rows.map(({ name }) => name)).toEqual(["a", "z"]);
  });

  it("says that the number is not known if the API server does not say it", async () => {
    const { client } = heldBack(400, [], false);
    const read = await reader(client);
    expect(await read<Rows>("/api/objects?limit=100")).toMatchObject({ all: 150, about: null, whole: false });
  });

  it("counts and sums nothing before it is whole", async () => {
    const { client, go } = heldBack(400);
    const read = await reader(client);
    const overview = read<Overview>("/api/overview");
    expect(await isPending(overview)).toBe(true);
    go();
    expect(await overview).toMatchObject({ all: 400, states: { starting: 400 } });
  });

  it("tells those who wait for the whole that the API server fails", async () => {
    const { client, fail } = heldBack(400);
    const read = await reader(client);
    await read<Rows>("/api/objects?limit=100");
    const overview = read("/api/overview");
    expect(await isPending(overview)).toBe(true);
    fail();
    expect(await overview).toMatchObject({ kind: "away" });
    expect(await read<Rows>("/api/objects?limit=100")).toMatchObject({ all: 150, whole: false });
  });
});
