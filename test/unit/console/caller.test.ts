import { afterEach, describe, expect, it } from "vitest";
import { answering, HOST, ORIGIN, testConsole, type TestConsole } from "../../support/console/console-app.ts";

let tested: TestConsole;
afterEach(async () => tested.app.close());

const NAMESPACES = { apiVersion: "v1", kind: "NamespaceList", metadata: { resourceVersion: "1" }, items: [] };
const client = answering({ "/api/v1/namespaces": NAMESPACES, "/version": { gitVersion: "v1.36.0" } });

const get = async (url: string, headers: Record<string, string>) =>
  tested.app.inject({ method: "GET", url, headers: { host: HOST, ...headers } });

const exchange = async (token: string, headers: Record<string, string> = { origin: ORIGIN }) =>
  tested.app.inject({ method: "POST", url: "/api/session", payload: { token }, headers: { host: HOST, ...headers } });

describe("a request from elsewhere", () => {
  it.each([
    ["names another host, as after DNS rebinding", { host: "attacker.example:4321" }],
    ["names another port of this machine", { host: "127.0.0.1:9999" }],
    ["names no host", { host: "" }],
    ["comes from a page of another site", { origin: "https://attacker.example" }],
    ["comes from another port of this machine", { origin: "http://127.0.0.1:9999" }],
    ["comes from a page without an origin of its own", { origin: "null" }],
    ["is a link or a picture of another site", { "sec-fetch-site": "cross-site" }],
    ["comes from another site of the same domain", { "sec-fetch-site": "same-site" }],
  ])("is refused with a session if it %s", async (_, headers) => {
    tested = await testConsole(client);
    const session = await tested.signIn();
    const found = await get("/api/cluster", { ...session, ...headers });
    expect([found.statusCode, found.json<{ code: string }>().code]).toEqual([403, "CONSOLE_ORIGIN"]);
    const page = await get("/", headers);
    expect(page.statusCode).toBe(403);
  });

  it("is refused without an origin if it changes something, so that a form of another site cannot send it", async () => {
    tested = await testConsole(client);
    const found = await exchange(tested.token(), {});
    expect([found.statusCode, found.json<{ code: string }>().code]).toEqual([403, "CONSOLE_ORIGIN"]);
  });
});

describe("the one-time token", () => {
  it("opens one session, and nothing at the second time", async () => {
    tested = await testConsole(client);
    const token = tested.token();
    const first = await exchange(token);
    expect(first.statusCode).toBe(200);
    const second = await exchange(token);
    expect([second.statusCode, second.json<{ code: string }>().code]).toEqual([401, "CONSOLE_TOKEN"]);
    const { session } = first.json<{ session: string }>();
    expect(session).not.toBe(token);
    expect((await get("/api/cluster", { authorization: `Bearer ${session}` })).statusCode).toBe(200);
    expect((await get("/api/cluster", { authorization: `Bearer ${token}` })).statusCode).toBe(401);
  });

  it("ends when a newer one is made", async () => {
    tested = await testConsole(client);
    const old = tested.token();
    const newer = tested.token();
    expect((await exchange(old)).statusCode).toBe(401);
    expect((await exchange(newer)).statusCode).toBe(200);
  });

  it("sets no cookie", async () => {
    tested = await testConsole(client);
    const answer = await exchange(tested.token());
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });
});

describe("240: a request of the API without a session", () => {
  it.each([
    "/api/cluster",
    "/api/objects",
    "/api/overview",
    "/api/changes",
    "/api/objects/VmTemplate/demo/web",
    "/api/none",
    "/%61pi/cluster",
    "/ap%69/objects",
    "/%61%70%69/objects/VmTemplate/demo/web",
    "/api/clu%73ter",
    "/%61pi/session/../cluster?x=1",
  ])("%s is refused", async (url) => {
    tested = await testConsole(client);
    for (const authorization of ["", "Bearer x", `Bearer ${"A".repeat(43)}`, "Basic YWRtaW46YWRtaW4="]) {
      const found = await get(url, authorization === "" ? {} : { authorization });
      expect([found.statusCode, found.json<{ kind: string }>().kind]).toEqual([401, "session"]);
    }
  });
});

it.each(["//[/", "//x:99999/", "/%", "/%61pi/%", "/a#/api/cluster"])(
  "a path that is no address, %s, gets a page or an error, and never what needs a session",
  async (url) => {
    tested = await testConsole(client);
    const found = await get(url, {});
    expect([200, 400, 401, 404]).toContain(found.statusCode);
    expect(found.body).not.toContain("namespaces");
    expect(tested.reported).toEqual([]);
  },
);

describe("every answer", () => {
  it("forbids scripts in pages, other sites, frames and texts as HTML", async () => {
    tested = await testConsole(client);
    const session = await tested.signIn();
    const answers = await Promise.all([
      ...[get("/", {}), get("/objects", {}), get("/api/cluster", session), get("/api/cluster", {})],
      ...[get("/assets/none.js", {}), get("/", { host: "attacker.example" })],
    ]);
    for (const { headers } of answers) {
      const policy = String(headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(headers).toMatchObject({ "referrer-policy": "no-referrer", "x-content-type-options": "nosniff" });
    }
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 401, 404, 403]);
  });

  it("says what failed without the session or the token", async () => {
    tested = await testConsole(answering({}, 500));
    const session = await tested.signIn();
    const failed = await get("/api/cluster?secret=1", session);
    expect([failed.statusCode, failed.json<{ kind: string }>().kind]).toEqual([500, "failed"]);
    expect(tested.reported).toHaveLength(1);
    expect(tested.reported[0]).toMatch(/^\/api\/cluster /);
    expect(tested.reported[0]).not.toContain("secret");
    expect(tested.reported[0]).not.toContain(session["authorization"]?.slice(7) ?? "");
  });

  it.each([
    [401, "credentials", 403],
    [403, "forbidden", 403],
    [0, "away", 503],
  ])("passes on what the API server says: %i is %s", async (status, kind, code) => {
    tested = await testConsole(answering({}, status));
    const found = await get("/api/objects", await tested.signIn());
    expect([found.statusCode, found.json<{ kind: string }>().kind]).toEqual([code, kind]);
  });

  it("refuses parameters that the schema does not have", async () => {
    tested = await testConsole(client);
    const session = await tested.signIn();
    for (const query of ["limit=1001", "limit=0", "sort=uid", "state=gone", "kind=Pod"]) {
      const found = await get(`/api/objects?${query}`, session);
      expect([query, found.statusCode, found.json<{ code: string }>().code]).toEqual([query, 400, "CONSOLE_REQUEST"]);
    }
  });
});
