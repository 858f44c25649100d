import { type Browser, chromium, type Page, type Request } from "playwright-core";
import { findChromium } from "./find-chromium.ts";

/** Without a sandbox, because tests run as root in containers; nothing else but the page may use the network. */
const FLAGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
];

/** A headless Chromium with a new profile, and with these flags besides the usual ones. */
export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), headless: true, args: [...FLAGS, ...flags] });
}

/** What a page did that none may do: errors, broken policies of its content, requests to other hosts. */
export interface Watched {
  page: Page;
  faults: string[];
  /** The paths that the page asked the server for, in order. */
  requests: string[];
  /** How many requests for a path are open. */
  open: (path: string) => number;
}

/** A window unless another is given. */
export const WIDE = { width: 1280, height: 800 };

export interface PageOptions {
  viewport?: { width: number; height: number };
}

/** A page in a profile of its own that records its faults. Answers with an error status are the server's own words. */
export async function openPage(browser: Browser, { viewport = WIDE }: PageOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport, timezoneId: "Europe/Rome", locale: "en-GB" });
  const page = await context.newPage();
  const faults: string[] = [];
  const requests: string[] = [];
  const underway = new Set<Request>();
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text());
  });
  page.on("request", (request) => {
    const { hostname, pathname } = new URL(request.url());
    if (hostname !== "127.0.0.1") faults.push(`a request to ${hostname}`);
    requests.push(pathname);
    underway.add(request);
  });
  const done = (request: Request): void => void underway.delete(request);
  page.on("requestfinished", done);
  page.on("requestfailed", done);
  const open = (path: string): number => [...underway].filter((one) => new URL(one.url()).pathname === path).length;
  return { page, faults, requests, open };
}
