import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import type { ConsoleApp } from "../../../../src/console/routes/console-app.ts";
import { checkSite } from "../../../../src/console/users/check-site.ts";
import { openUsers, type Users } from "../../../../src/console/users/open-users.ts";
import { endOf, tokenOf } from "../../../../src/console/users/token-of.ts";
import { LandfallError } from "../../../../src/errors.ts";
import { NOW } from "../../../support/admission.ts";
import { answering } from "../../../support/console/console-app.ts";

const ORIGIN = "https://landfall.example.org";
const token = (claims: object): string =>
  ["e30", Buffer.from(JSON.stringify(claims)).toString("base64url"), "c2ln"].join(".");

describe("the token of a request", () => {
  it.each(["Bearer abc", "bearer a.b-c_d~e+f/g=="])("is what follows Bearer: %s", (authorization) => {
    expect(tokenOf({ authorization })).toBe(authorization.slice(7));
  });

  it.each([undefined, "", "Basic abc", "Bearer ", "Bearer a b", "Bearer a\nb", `Bearer ${"a".repeat(12_001)}`])(
    "is missing in %j",
    (authorization) => {
      const headers = authorization === undefined ? {} : { authorization };
      expect(() => tokenOf(headers)).toThrow(expect.objectContaining({ code: "CONSOLE_NO_TOKEN" }));
    },
  );

  it("ends when it says so", () => {
    expect(endOf(token({ exp: NOW }))).toBe(NOW);
    expect([endOf("opaque"), endOf(token({})), endOf("a.{.c")]).toEqual([null, null, null]);
  });
});

describe("a request", () => {
  const check = (headers: Record<string, string>, { method = "GET", url = "/" } = {}): string | null => {
    try {
      checkSite({ method, url, headers: { host: "landfall.example.org", ...headers } } as IncomingMessage, ORIGIN);
      return null;
    } catch (thrown) {
      return (thrown as LandfallError).code;
    }
  };
  const visit = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

  it.each<[string, Record<string, string>, { method?: string; url?: string }]>([
    ["of the page", { "sec-fetch-site": "same-origin" }, { url: "/api/objects" }],
    ["of the page that changes something", { origin: ORIGIN }, { method: "POST", url: "/api/apply" }],
    ["of a link in a message", visit, { url: "/objects?namespace=demo" }],
    ["after signing in elsewhere", visit, { url: "/" }],
  ])("%s is answered", (_, headers, request) => {
    expect(check(headers, request)).toBe(null);
  });

  it.each<[string, Record<string, string>, { method?: string; url?: string }]>([
    ["to another host", { host: "landfall-console.landfall-system" }, {}],
    ["of another site", { origin: "https://evil.example" }, {}],
    ["of the same host without TLS", { origin: "http://landfall.example.org" }, {}],
    ["of another site to the API", visit, { url: "/api/objects" }],
    ["of another site to the API, encoded", visit, { url: "/%61pi/objects" }],
    ["of a frame of another site", { ...visit, "sec-fetch-dest": "iframe" }, {}],
    ["of a script of another site", { ...visit, "sec-fetch-mode": "cors" }, {}],
    ["of a form of another site", visit, { method: "POST" }],
    ["that changes something without an origin", {}, { method: "POST", url: "/api/apply" }],
  ])("%s is refused", (_, headers, request) => {
    expect(check(headers, request)).toBe("CONSOLE_SITE");
  });
});

describe("the consoles of users", () => {
  const asked: string[] = [];
  const closed: string[] = [];
  let destroyed = 0;
  let nowMs = 0;
  let users: Users;
  let answer: (token: string) => Promise<unknown>;

  beforeEach(() => {
    asked.length = 0;
    closed.length = 0;
    [nowMs, destroyed] = [0, 0];
    answer = () => Promise.resolve({});
    const tokens = new Map<KubeClient, string>();
    users = openUsers({
      clientOf(given) {
        const create: KubeClient["create"] = async () => {
          asked.push(given);
          return (await answer(given)) as never;
        };
        const client = { ...answering({}), create };
        tokens.set(client, given);
        return client;
      },
      build: (client) =>
        ({
          ready: () => Promise.resolve(),
          close: () => Promise.resolve(closed.push(tokens.get(client) ?? "")),
          of: tokens.get(client),
        }) as unknown as ConsoleApp,
      nowMs: () => nowMs,
      nowSeconds: () => NOW,
    });
  });
  afterEach(() => users.stop());

  /** An answer under way, which counts in `destroyed` when it is cut. */
  const reply = () =>
    Object.assign(new EventEmitter(), { destroy: () => void (destroyed += 1) }) as unknown as ServerResponse;
  const open = (given: string, own = reply()) => users.consoleOf(given, own, "10.0.0.1");
  const userOf = async (given: string): Promise<unknown> => ((await open(given)) as unknown as { of: string }).of;

  it("are one for each token, which the API server is asked about once", async () => {
    expect(await Promise.all(["a", "b", "a"].map(userOf))).toEqual(["a", "b", "a"]);
    expect(await userOf("b")).toBe("b");
    expect(asked).toEqual(["a", "b"]);
  });

  it("are none for a token that the API server refuses, which is asked about again after some seconds", async () => {
    answer = () => Promise.reject(new ApiError(401, { action: "POST", detail: "Unauthorized" }));
    await expect(open("a")).rejects.toMatchObject({ status: 401 });
    nowMs = 4999;
    await expect(open("a")).rejects.toMatchObject({ status: 401 });
    expect([asked.length, users.size()]).toEqual([1, 0]);
    nowMs = 5000;
    await expect(open("a")).rejects.toMatchObject({ status: 401 });
    expect([asked.length, users.size()]).toEqual([2, 0]);
  });

  it("end ten minutes after they began, with their streams, and when their token ends", async () => {
    await open("long");

    const short = token({ exp: NOW + 60 });
    await open(short);
    nowMs = 59_999;
    await userOf("long");
    expect(closed).toEqual([]);
    nowMs = 60_000;
    await userOf("long");
    expect(closed).toEqual([short]);
    nowMs = 600_000;
    await userOf("long");
    expect(closed).toEqual([short, "long"]);
    // One answer for the short token, three for the long one.
    expect(destroyed).toBe(4);
    expect(asked).toEqual(["long", short, "long"]);
  });

  it("are at most 64: the one that was used least recently ends", async () => {
    for (let at = 0; at < 64; at += 1) await open(`user-${String(at)}`);
    await open("user-0");
    await open("one-more");
    expect([users.size(), closed]).toEqual([64, ["user-1"]]);
  });

  it("do not end because of tokens that nobody has, of which few are asked about at a time", async () => {
    await open("a");
    const wait = Promise.withResolvers<never>();
    answer = () => wait.promise;
    const tries = Array.from({ length: 100 }, (_, at) =>
      open(`guess-${String(at)}`).then(String, (thrown: unknown) => thrown),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked.length).toBe(1 + 12);
    wait.reject(new ApiError(401, { action: "POST", detail: "Unauthorized" }));
    const said = await Promise.all(tries);
    expect(said.filter((one) => one instanceof LandfallError && one.code === "CONSOLE_AGAIN").length).toBe(36);
    expect([await userOf("a"), closed, users.size()]).toEqual(["a", [], 1]);
  });
});
