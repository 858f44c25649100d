// oauth2-proxy as docs/operations/console.md configures it: Chromium → oauth2-proxy → the console as its Deployment starts it → an API
// server that accepts the provider's tokens. oauth2-proxy is built from source at the first run: some minutes on two cores.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { issueAuthority, issueServer } from "../../src/certificates/issue-certificate.ts";
import { freePorts } from "../../src/local/processes/free-ports.ts";
import { type Landfall, startLandfall } from "../../src/local/landfall/start-landfall.ts";
import { toolPath } from "../../src/toolchain/tool-path.ts";
import { until } from "../e2e/composition/cluster-under-test.ts";
import { vm } from "../support/admission.ts";
import { type ChartConsole, CONSOLE_ORIGIN, startChartConsole } from "../support/console/chart-console.ts";
import { authenticationConfig, type RunningProxy, startOauth2Proxy } from "../support/console/oauth2-proxy.ts";
import { openBrowser } from "../support/console/open-browser.ts";
import { type OidcProvider, startOidcProvider } from "../support/services/oidc-provider.ts";
import { textClient } from "../support/text-client.ts";

const CLIENT = { clientId: "landfall-console", clientSecret: "a secret of the test" };
const ALICE = { email: "alice@example.org", groups: ["shop"] };
const BOB = { email: "bob@example.org", groups: ["nobody", "bank"] };
/** The namespace of each, and to whom its role is bound. */
const OWNERS = { shop: { kind: "User", name: "oidc:alice@example.org" }, bank: { kind: "Group", name: "oidc:bank" } };
const TOKEN_SECONDS = 120;
const REFRESH_SECONDS = 5;
const RBAC = "rbac.authorization.k8s.io";

let base: string;
let provider: OidcProvider;
let landfall: Landfall;
let served: ChartConsole;
let port: number;
let proxy: RunningProxy;
let browser: Browser;
/** What ends each part, the last one first. */
const ends: (() => Promise<unknown>)[] = [];

const vmPath = (namespace: string): string => `/apis/composition.krateo.io/v0-2-0/namespaces/${namespace}/vmtemplates`;

async function createObject(namespace: string, name: string): Promise<void> {
  const object = { ...vm({ cpu: 1, memory: 1 }, { name, namespace }), apiVersion: "composition.krateo.io/v0-2-0" };
  await textClient(landfall.client).create(vmPath(namespace), object);
}

/** A namespace, the rights of its owner, and an object. */
async function prepare(namespace: keyof typeof OWNERS): Promise<void> {
  const admin = textClient(landfall.client);
  await admin.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const [roles, apiVersion] = [`/apis/${RBAC}/v1/namespaces/${namespace}`, `${RBAC}/v1`];
  const metadata = { name: "owner", namespace };
  const rules = [{ apiGroups: ["composition.krateo.io"], resources: ["*"], verbs: ["*"] }];
  await admin.create(`${roles}/roles`, { apiVersion, kind: "Role", metadata, rules });
  await admin.create(`${roles}/rolebindings`, {
    ...{ apiVersion, kind: "RoleBinding", metadata, roleRef: { apiGroup: RBAC, kind: "Role", name: "owner" } },
    subjects: [{ apiGroup: RBAC, ...OWNERS[namespace] }],
  });
  await until(() => createObject(namespace, `of-${namespace}`).then(() => true));
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-proxy-"));
  ends.push(() => rm(base, { recursive: true, force: true, maxRetries: 5 }));
  const authority = await issueAuthority("test of the proxy");
  const certificate = await issueServer(authority, "landfall", [
    { type: "ip", value: "127.0.0.1" },
    { type: "dns", value: new URL(CONSOLE_ORIGIN).hostname },
  ]);
  const authorityPem = authority.certificate.toString("pem");
  await Promise.all([
    writeFile(join(base, "authority.crt"), authorityPem),
    writeFile(join(base, "tls.crt"), certificate.certificate),
    writeFile(join(base, "tls.key"), certificate.key, { mode: 0o600 }),
  ]);
  await toolPath("oauth2-proxy");
  provider = await startOidcProvider({
    ...{ ...CLIENT, certificate, people: [ALICE, BOB], tokenSeconds: TOKEN_SECONDS },
    redirectUri: `${CONSOLE_ORIGIN}/oauth2/callback`,
  });
  ends.push(() => provider.close());
  landfall = await startLandfall({
    ...{ dir: join(base, "plane"), env: process.env, components: ["webhook", "composition"] },
    apiServerFlags: { "authentication-config": await authenticationConfig(base, provider.issuer, authorityPem) },
  });
  ends.push(() => landfall.stop());
  await Promise.all((Object.keys(OWNERS) as (keyof typeof OWNERS)[]).map(prepare));
  const { kubeconfig, stage } = landfall;
  served = await startChartConsole({
    ...{ kubeconfig, bundle: stage.paths.bundle, dir: base },
    values: { tlsSecret: "landfall-console-tls" },
  });
  ends.push(() => served.stop());
  [port = 0] = await freePorts(1);
  proxy = await startOauth2Proxy({
    ...{ dir: base, port, issuer: provider.issuer, clientSecret: CLIENT.clientSecret },
    ...{ upstream: `https://127.0.0.1:${String(served.port)}/`, refreshSeconds: REFRESH_SECONDS },
  });
  ends.push(() => proxy.stop());
  // The name of the console leads to the proxy, as DNS does elsewhere.
  browser = await openBrowser([
    `--host-resolver-rules=MAP ${new URL(CONSOLE_ORIGIN).hostname}:443 127.0.0.1:${String(port)}`,
  ]);
  ends.push(() => browser.close());
});

afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

/** Someone at a computer of their own, who opens this page and signs in where the proxy leads. */
async function signIn({ email }: { email: string }, path: string): Promise<{ own: BrowserContext; shown: Page }> {
  const own = await browser.newContext({ ignoreHTTPSErrors: true });
  const shown = await own.newPage();
  await shown.goto(CONSOLE_ORIGIN + path);
  expect(shown.url()).toMatch(`${provider.issuer}/authorize?`);
  await shown.getByRole("button", { name: email }).click();
  await shown.waitForURL(CONSOLE_ORIGIN + path);
  return { own, shown };
}

/** What the console says to the page for this path: by the page itself, with its cookies. */
const asked = (shown: Page, path: string, init: object = {}): Promise<{ status: number; text: string }> =>
  shown.evaluate(
    async ([to, how]) => {
      const answer = await fetch(to, how);
      return { status: answer.status, text: await answer.text() };
    },
    [path, init] as const,
  );

/** A request with the cookies of these pages, and with headers that no page may set. */
async function send(
  context: BrowserContext,
  path: string,
  headers: Readonly<Record<string, string>>,
  init: { method?: "POST"; body?: string } = {},
): Promise<{ status: number; text: string }> {
  const cookies = await context.cookies(CONSOLE_ORIGIN);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const { hostname: host } = new URL(CONSOLE_ORIGIN);
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const answer = await request(`https://127.0.0.1:${String(port)}${path}`, {
    ...{ ...init, dispatcher, headers: { ...headers, host, cookie } },
  });
  const text = await answer.body.text();
  await dispatcher.close();
  return { status: answer.statusCode, text };
}

it("signs people in at their provider, and shows each what their role bindings give", async () => {
  const people = [
    [ALICE, "shop", "bank"],
    [BOB, "bank", "shop"],
  ] as const;
  for (const [person, mine, other] of people) {
    const { own, shown } = await signIn(person, `/objects?namespace=${mine}`);
    await shown.getByRole("link", { name: `of-${mine}` }).waitFor();
    expect(await asked(shown, `/api/objects?namespace=${other}`)).toMatchObject({ status: 403 });
    expect((await asked(shown, `/api/objects/VmTemplate/${other}/of-${other}`)).status).toBe(403);
    await shown.goto(`${CONSOLE_ORIGIN}/objects?namespace=${other}`);
    await shown
      .getByText(/cannot list|forbidden/i)
      .first()
      .waitFor();
    await own.close();
  }
  expect(provider.given.filter(({ grant }) => grant === "authorization_code").map(({ email }) => email)).toEqual(
    people.map(([{ email }]) => email),
  );
});

it("writes with the user's rights, from the console's own page alone", async () => {
  const { own, shown } = await signIn(ALICE, "/objects?namespace=shop");
  const body = (name: string, namespace: string): string => {
    const object = { apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: { name } };
    return JSON.stringify({ namespace, object: JSON.stringify({ ...object, spec: { cpu: 1, memory: 1 } }) });
  };
  const headers = { "content-type": "application/json" };
  const apply = (name: string, namespace: string) =>
    asked(shown, "/api/apply", { method: "POST", headers, body: body(name, namespace) });
  expect(await apply("made", "shop")).toMatchObject({ status: 200 });
  expect((await apply("made", "bank")).text).toContain("CONSOLE_REFUSED");
  // The same cookie, from a page of another site.
  const evil = { ...headers, origin: "https://evil.example" };
  const foreign = await send(own, "/api/apply", evil, { method: "POST", body: body("foreign", "shop") });
  expect([foreign.status, foreign.text]).toEqual([403, expect.stringContaining("CONSOLE_SITE")]);
  await own.close();
});

it("passes on the token of the session, and none that a browser sends", async () => {
  const { own } = await signIn(ALICE, "/objects?namespace=shop");
  const headers = { authorization: `Bearer ${provider.tokenOf(BOB.email)}` };
  const listed = async (context: BrowserContext, namespace: string): Promise<number> =>
    (await send(context, `/api/objects?namespace=${namespace}`, headers)).status;
  expect([await listed(own, "shop"), await listed(own, "bank")]).toEqual([200, 403]);
  const stranger = await browser.newContext({ ignoreHTTPSErrors: true });
  expect([302, 401, 403]).toContain(await listed(stranger, "bank"));
  await Promise.all([own.close(), stranger.close()]);
});

it("streams changes to the page, and goes on with a new token", async () => {
  const { own, shown } = await signIn(ALICE, "/objects?namespace=shop");
  await shown.getByRole("link", { name: "of-shop" }).waitFor();
  const navigated: string[] = [];
  shown.on("framenavigated", (frame) => navigated.push(frame.url()));
  await createObject("shop", "later");
  await shown.getByRole("link", { name: "later" }).waitFor({ timeout: 20_000 });
  const refreshed = (): number => provider.given.filter(({ grant }) => grant === "refresh_token").length;
  const before = refreshed();
  await sleep(REFRESH_SECONDS * 1000 + 1000);
  expect(await asked(shown, "/api/objects?namespace=shop")).toMatchObject({ status: 200 });
  expect(refreshed()).toBeGreaterThan(before);
  await createObject("shop", "much-later");
  await shown.getByRole("link", { name: "much-later" }).waitFor({ timeout: 20_000 });
  expect(navigated).toEqual([]);
  await own.close();
});

it("shows nothing after signing out, and leaves no token in an address or a log", async () => {
  const { own, shown } = await signIn(ALICE, "/objects?namespace=shop");
  const addresses: string[] = [];
  shown.on("request", (sent) => addresses.push(sent.url()));
  await shown.reload();
  await shown.goto(`${CONSOLE_ORIGIN}/oauth2/sign_out`);
  await shown.goto(`${CONSOLE_ORIGIN}/objects?namespace=shop`);
  expect(shown.url()).toMatch(`${provider.issuer}/authorize?`);
  await own.close();
  const texts = [...addresses, served.log(), proxy.log()].join("\n");
  expect(served.log()).toContain("console started");
  for (const { token } of provider.given) expect(texts).not.toContain(token.slice(-40));
});
