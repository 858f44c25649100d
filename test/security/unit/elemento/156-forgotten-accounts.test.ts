import { describe, expect, it } from "vitest";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import type { ElementoApi } from "../../../../src/elemento/api/elemento-api.ts";
import { openAccounts } from "../../../../src/elemento/operator/open-accounts.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const MINUTE_MS = 60_000;

/** An operator whose Secrets hold what `values` says of their path, and the users of its open clients. */
function operator(values: (path: string) => Record<string, string> | null) {
  const open = new Set<string>();
  const clock = { nowMs: 0, reads: 0 };
  const get = (path: string): Promise<unknown> => {
    clock.reads += 1;
    const found = values(path);
    if (found === null) return Promise.resolve(null);
    const all = { url: "https://elemento.example/t", username: "u", password: path, ...found };
    const data = Object.fromEntries(Object.entries(all).map(([key, value]) => [key, base64(value)]));
    return Promise.resolve({ metadata: {}, data });
  };
  const accounts = openAccounts({
    client: { get } as unknown as KubeClient,
    own: { namespace: "landfall-system", name: "account" },
    allowedUrls: ["https://elemento.example"],
    nowMs: () => clock.nowMs,
    open: ({ password }) => {
      open.add(password);
      return { close: () => Promise.resolve(open.delete(password)) } as unknown as ElementoApi;
    },
  });
  const ask = (name: string, namespace = "tenant") => accounts.of({ namespace, name });
  return { ask, open, clock };
}

describe("156: a tenant's Secrets at the Elemento operator", () => {
  it("are forgotten half an hour after their last use, and their clients closed", async () => {
    const { ask, open, clock } = operator(() => ({}));
    await ask("a");
    await ask("b");
    for (let minute = 0; minute < 40; minute += 1) {
      clock.nowMs += MINUTE_MS;
      await ask("b");
    }
    expect(open.size).toBe(1);
  });

  it("are at most 50 at a time in one namespace; others are not affected, and it gets room again", async () => {
    const { ask, open, clock } = operator(() => ({}));
    for (let index = 0; index < 50; index += 1) await ask(`s${String(index)}`);
    const { reads } = clock;
    await expect(ask("more")).rejects.toMatchObject({ code: "ELEMENTO_ACCOUNT" });
    await expect(ask("more")).rejects.toThrow("use 50 other Secrets");
    expect([clock.reads, open.size]).toEqual([reads, 50]);
    await ask("s0");
    await ask("one", "another");
    clock.nowMs += 31 * MINUTE_MS;
    await ask("more");
    expect(open.size).toBe(1);
  });

  it("that are read at the same time count once each", async () => {
    const { ask, open } = operator(() => ({ password: "shared" }));
    const [first, second] = await Promise.all([ask("a"), ask("a"), ask("b")]);
    expect(first).toBe(second);
    expect([...open]).toEqual(["shared"]);
  });

  it.each(["username", "password", "url", "clientUuid"])("with a %s of 5,000 characters are refused", async (key) => {
    const { ask, open } = operator(() => ({ [key]: `https://elemento.example/${"x".repeat(5000)}` }));
    await expect(ask("a")).rejects.toThrow(`its key ${key} has more than 4096 characters`);
    expect(open.size).toBe(0);
  });

  it("that are gone, changed or renewed leave no client open", async () => {
    let password: string | null = "first";
    const { ask, open, clock } = operator(() => (password === null ? null : { password }));
    await ask("a");
    password = "second";
    clock.nowMs += MINUTE_MS;
    await ask("a");
    expect([...open]).toEqual(["second"]);
    password = null;
    clock.nowMs += MINUTE_MS;
    await expect(ask("a")).rejects.toMatchObject({ code: "ELEMENTO_ACCOUNT" });
    expect(open.size).toBe(0);
  });

  it("take the same time for each reading, however many are known", async () => {
    const { ask, clock } = operator(() => ({}));
    const read = async (namespaces: number): Promise<number> => {
      const before = process.cpuUsage().user;
      for (let index = 0; index < namespaces; index += 1) await ask("a", `n${String(namespaces)}-${String(index)}`);
      return process.cpuUsage().user - before;
    };
    await read(1000);
    clock.nowMs += MINUTE_MS;
    const few = Math.max(await read(1001), 20_000);
    // Quadratic, eight times as many take 64 times as long.
    expect(await read(8000)).toBeLessThan(25 * few);
  });
});
