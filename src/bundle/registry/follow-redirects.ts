import type { Dispatcher } from "undici";
import { LandfallError } from "../../errors.ts";

type Answer = Dispatcher.ResponseData;

const REDIRECTS = 3;
const MOVED = new Set([301, 302, 303, 307, 308]);

export interface Followed {
  answer: Answer;
  /** Whether another address than the registry's own gave the answer: nothing of its text is shown. */
  moved: boolean;
}

export interface RedirectOptions {
  /** The registry's repository and path, for errors. */
  ref: string;
  /** Whether addresses without TLS are asked. */
  plainHttp: boolean;
  /** Asks an address; credentials are only for the registry's own origin. */
  ask: (url: URL, ownOrigin: boolean) => Promise<Answer>;
}

/** Asks an address and follows up to three redirects, with TLS unless plain HTTP was asked for. Throws BUNDLE_REGISTRY. */
export async function followRedirects(start: URL, { ref, plainHttp, ask }: RedirectOptions): Promise<Followed> {
  let url = start;
  for (let left = REDIRECTS; ; left -= 1) {
    const answer = await ask(url, url.origin === start.origin);
    const { location } = answer.headers;
    if (!MOVED.has(answer.statusCode) || typeof location !== "string") return { answer, moved: url !== start };
    await answer.body.dump();
    if (left === 0)
      throw new LandfallError("BUNDLE_REGISTRY", { ref, detail: `more than ${String(REDIRECTS)} redirects` });
    url = new URL(location, url);
    if (url.protocol !== "https:" && !(plainHttp && url.protocol === "http:"))
      throw new LandfallError("BUNDLE_REGISTRY", {
        ref,
        detail: `it redirects to an address without TLS, ${url.origin}`,
      });
  }
}
