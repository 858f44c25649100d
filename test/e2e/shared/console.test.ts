import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { RunningConsole } from "../../../src/console/start-console.ts";
import { vm } from "../../support/admission.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";
import { openBrowser, openPage, type PageOptions, type Watched } from "../../support/console/open-browser.ts";
import { serveConsoles, show, signInTo, violationsInBoth } from "../../support/console/serve-consoles.ts";

const { kubeconfig, bundle } = inject("cluster");
const NAMESPACE = "seen";
const OTHER = "unseen";
const COLLECTION = `/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates`;
/** A label may not hold this, but an annotation, a field and a condition may. */
const SCRIPT = `<script>document.title="owned"</script><img src=x onerror="document.title='owned'">`;

let browser: Browser;
let owner: TenantCluster;
let stranger: TenantCluster;
const { serve, stop } = serveConsoles(kubeconfig, bundle);
const signIn = (running: RunningConsole, options: PageOptions = {}): Promise<Watched> =>
  signInTo(browser, running, options);

beforeAll(async () => {
  browser = await openBrowser();
  owner = await openTenant(kubeconfig, NAMESPACE, {});
  stranger = await openTenant(kubeconfig, OTHER, {});
  const later = {
    cpu: 2,
    memory: 4,
    duration: "3h",
    deadline: "2035-01-01T00:00:00Z",
    schedulingTime: "2034-12-31T00:00:00Z",
  };
  const annotations = { "team.example.org/note": SCRIPT };
  await owner.tenant.client.create(COLLECTION, {
    ...vm({ ...later, tags: { owner: "team-a" } }, { name: "waits", namespace: NAMESPACE, annotations }),
    apiVersion: "composition.krateo.io/v0-2-0",
  });
  await owner.tenant.client.create(COLLECTION, {
    ...vm({ cpu: 1, memory: 1, userData: SCRIPT }, { name: "script", namespace: NAMESPACE }),
    apiVersion: "composition.krateo.io/v0-2-0",
  });
});

afterAll(async () => {
  await stop();
  await browser.close();
  await owner.close();
  await stranger.close();
});

describe("the console in a browser", () => {
  it("opens by its address once, and keeps no token", async () => {
    const running = await serve(null);
    const address = running.address();
    const { page, faults, requests } = await openPage(browser);
    await page.goto(address);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("link", { name: /Waiting/ }).waitFor();
    expect(page.url()).toBe(new URL("/", address).href);
    expect(await page.evaluate("[document.cookie, JSON.stringify({ ...localStorage })]")).toEqual(["", "{}"]);
    const token = new URL(address).hash.slice("#token=".length);
    expect(requests.join(" ")).not.toContain(token);
    expect(await page.evaluate("JSON.stringify({ ...sessionStorage })")).not.toContain(token);

    // A reload and another tab of the same browser stay signed in; another browser with the same address does not.
    await page.reload();
    await page.getByRole("link", { name: /Waiting/ }).waitFor();
    const second = await page.context().newPage();
    await second.goto(new URL("/objects", address).href);
    await second.getByRole("table").waitFor();
    const strangers = await openPage(browser);
    await strangers.page.goto(address);
    await strangers.page.getByText("This tab is not signed in").first().waitFor();
    expect(await strangers.page.getByRole("table").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("returns a signed-out tab to its page when another tab is signed in", async () => {
    const running = await serve(null);
    const { page } = await openPage(browser);
    const wanted = new URL(`/objects?namespace=${NAMESPACE}&state=waiting`, running.address()).href;
    await page.goto(wanted);
    await page.getByText("This tab is not signed in").first().waitFor();
    const second = await page.context().newPage();
    await second.goto(running.address());
    await page.getByRole("link", { name: "waits" }).waitFor();
    expect(page.url()).toBe(wanted);
  });

  it("shows a change without a reload, by one stream", async () => {
    const { page, open } = await signIn(await serve(null));
    await show(page, `/objects?namespace=${NAMESPACE}&search=appears`);
    await page.getByText("No object passes these filters").waitFor();
    await owner.tenant.client.create(COLLECTION, {
      ...vm({ cpu: 1, memory: 1 }, { name: "appears", namespace: NAMESPACE }),
      apiVersion: "composition.krateo.io/v0-2-0",
    });
    await page.getByRole("link", { name: "appears" }).waitFor();
    expect(open("/api/changes")).toBe(1);
    // The list that the change asked for may still be on its way when its first rows are shown.
    await vi.waitFor(() => expect(open("/api/objects")).toBe(0));
  });

  it("leaves the browser's connections to the pages that are seen", async () => {
    const { page, open } = await signIn(await serve(null));
    // Chromium opens six connections to one address, and keeps pages that were left for the way back.
    for (let at = 0; at < 8; at += 1)
      await show(page, `/objects?namespace=${NAMESPACE}&search=wait&offset=${String(at)}`);
    await vi.waitFor(() => expect(open("/api/changes")).toBe(1));
    const setVisibility = (state: string): Promise<unknown> =>
      page.evaluate(
        `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });` +
          `document.dispatchEvent(new Event("visibilitychange"));`,
      );
    await setVisibility("hidden");
    await vi.waitFor(() => expect(open("/api/changes")).toBe(0));
    await setVisibility("visible");
    await vi.waitFor(() => expect(open("/api/changes")).toBe(1));
  });

  it("moves the focus into a panel, and back where it was opened", async () => {
    const { page } = await signIn(await serve(null));
    await show(page, `/objects/VmTemplate/${NAMESPACE}/waits`);
    const place = page.getByRole("button", { name: /aws\/eu-north-1/ });
    await place.press("Enter");
    const panel = page.getByRole("complementary", { name: /aws\/eu-north-1/ });
    await panel.waitFor();
    expect(await page.locator("aside:focus").count()).toBe(1);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(await page.locator("button:focus").textContent()).toContain("aws/eu-north-1");
    expect(page.url()).not.toContain("place=");
  });

  it("keeps filters, order and the open place in the address", async () => {
    const { page } = await signIn(await serve(null));
    await show(page, `/objects?namespace=${NAMESPACE}`);
    await page.getByRole("searchbox", { name: "Part of the name" }).fill("wai");
    await page.waitForURL(/search=wai/);
    await page.getByRole("button", { name: "Start" }).click();
    await page.waitForURL(/sort=start/);
    await page.getByRole("link", { name: "waits" }).click();
    await page.waitForURL(/\/objects\/VmTemplate\/seen\/waits/);
    await page.getByRole("button", { name: /aws\/eu-north-1/ }).click();
    await page.waitForURL(/place=aws%2Feu-north-1/);
    await page.goBack();
    await page.goBack();
    await page.waitForURL(/search=wai/);
    expect(new URL(page.url()).searchParams.get("namespace")).toBe(NAMESPACE);
  });
});

describe("the page of an object", () => {
  it("says where, when and why, with the rule's line, and that the signature was verified", async () => {
    const { page, faults } = await signIn(await serve(null));
    await show(page, `/objects/VmTemplate/${NAMESPACE}/waits`);
    await page.getByText("Signature verified").waitFor();
    await page.getByText(/^landfall\/flavour\.rego:\d+$/).waitFor();
    await page.getByText("It gives the recorded place and start.").waitFor();
    const rows = await page.getByRole("region", { name: "Candidates" }).getByRole("row").count();
    expect(rows).toBeGreaterThan(20);
    await page.getByRole("tab", { name: "Life" }).click();
    await page.getByText("what follows is planned").waitFor();
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.getByText("landfall.dev/seal").waitFor();
    expect(faults).toEqual([]);
  });

  it("says what another place would take", async () => {
    const { page } = await signIn(await serve(null));
    const { origin } = new URL(page.url());
    await page.goto(`${origin}/objects/VmTemplate/${NAMESPACE}/waits?place=elemento/ovh-fr-paris`);
    const panel = page.getByRole("complementary", { name: /elemento\/ovh-fr-paris/ });
    await panel.getByText(/The rules (do not )?allow it/).waitFor();
    expect(await panel.getByRole("heading").first().textContent()).toBe("elemento/ovh-fr-paris");
  });

  it("never reads a tenant's text as HTML", async () => {
    const { page, faults } = await signIn(await serve(null));
    await show(page, `/objects/VmTemplate/${NAMESPACE}/script?view=yaml`);
    expect(await page.locator("pre.yaml").textContent()).toContain("<script>document.title");
    await show(page, `/objects/VmTemplate/${NAMESPACE}/waits?view=yaml`);
    expect(await page.locator("pre.yaml").textContent()).toContain("<img src=x onerror=");
    await show(page, `/objects?search=${encodeURIComponent(SCRIPT)}&place=${encodeURIComponent(SCRIPT)}`);
    await page.getByText("No object passes these filters").waitFor();
    expect(await page.title()).toBe("Objects · Landfall");
    expect(await page.locator("img").count()).toBe(0);
    expect(faults).toEqual([]);
  });
});

describe("a tenant", () => {
  it("sees the own namespace alone, and is told what is refused", async () => {
    const { page, faults } = await signIn(await serve(`admin-of-${OTHER}`));
    await page.getByText("You are not allowed to see this").waitFor();
    await show(page, `/objects?namespace=${OTHER}`);
    await page.getByText("There are no objects here yet").waitFor();
    await show(page, `/objects?namespace=${NAMESPACE}`);
    await page.getByText("You are not allowed to see this").waitFor();
    await show(page, `/objects/VmTemplate/${NAMESPACE}/waits`);
    await page.getByText("You are not allowed to see this").waitFor();
    expect(await page.textContent("main")).not.toContain("landfall.dev/decision");
    expect(faults).toEqual([]);
  });

  it("sees own objects without the right to the signing keys", async () => {
    const { page } = await signIn(await serve(`admin-of-${NAMESPACE}`));
    await show(page, `/objects?namespace=${NAMESPACE}`);
    await page.getByRole("link", { name: "waits" }).click();
    await page.getByText("Signature not checked").waitFor();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("waits");
  });
});

describe("every page", () => {
  const VIEWS = [
    ...["/", "/map", "/map?view=world&place=aws/eu-north-1", "/map?as=table&only=allowed"],
    ...[
      "/timeline",
      `/timeline?object=VmTemplate/${NAMESPACE}/waits`,
      "/timeline?as=table&hours=48",
      "/timeline?search=none",
    ],
    ...[`/objects?namespace=${NAMESPACE}`, "/objects?search=none", "/nothing"],
    ...["", "?place=aws/us-east-1&places=all", "?view=life", "?view=resources", "?view=yaml"].map(
      (part) => `/objects/VmTemplate/${NAMESPACE}/waits${part}`,
    ),
  ];

  it.each([1280, 390])("follows WCAG 2.2 AA and is no wider than the window: %i pixels", async (width) => {
    const { page, faults } = await signIn(await serve(null), { viewport: { width, height: 800 } });
    for (const view of VIEWS) {
      await page.goto(new URL(view, page.url()).href);
      await page.locator("main h1, main h2").first().waitFor();
      await page.locator(".loading").first().waitFor({ state: "detached" });
      expect([view, await violationsInBoth(page)]).toEqual([view, []]);
      expect([view, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([view, width]);
    }
    expect(faults).toEqual([]);
  });
});
