import pLimit from "p-limit";
import { messageOf } from "../../src/errors.ts";

/** The address ends before what Markdown or a sentence puts behind it. */
const ADDRESS = /https?:\/\/[^\s<>"'`)\]}|\\]{1,2000}/g;
/** Examples, this machine, and placeholders. */
const NOT_REAL = /^https?:\/\/(?:[^/]*\.)?(?:example(?:\.[a-z]+)?|invalid|local|internal|test)(?::\d+)?(?:\/|$)/i;
const HERE = /^https?:\/\/(?:localhost|127\.|10\.|\[?::1)/i;
const PLACEHOLDER = /[A-Z]{4,}|[…*$]/;

/** The addresses in a Markdown text that can be asked for, without their anchors. */
export function addressesIn(text: string): string[] {
  const found = [...text.matchAll(ADDRESS)].map(([address]) => address.replace(/[.,;:!?]+$/, "").split("#")[0] ?? "");
  return [...new Set(found)].filter((one) => ![NOT_REAL, HERE, PLACEHOLDER].some((pattern) => pattern.test(one)));
}

export interface BrokenAddress {
  address: string;
  detail: string;
}

export interface AskOptions {
  tries?: number;
  timeoutMs?: number;
  /** Milliseconds before another try. */
  pauseMs?: number;
}

/** Some servers refuse what is not a browser, or too many requests: what they refuse exists. */
const EXISTS = new Set([401, 403, 405, 429]);

async function problemOf(address: string, timeoutMs: number): Promise<string | null> {
  try {
    const answer = await fetch(address, { redirect: "follow", signal: AbortSignal.timeout(timeoutMs) });
    await answer.body?.cancel();
    return answer.ok || EXISTS.has(answer.status) ? null : `HTTP ${answer.status}`;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** Those of the addresses that do not answer, after several tries each. */
export async function brokenAddresses(
  addresses: readonly string[],
  { tries = 3, timeoutMs = 20_000, pauseMs = 2000 }: AskOptions = {},
): Promise<BrokenAddress[]> {
  const limit = pLimit(4);
  const ask = async (address: string): Promise<BrokenAddress[]> => {
    let detail: string | null = null;
    for (let tried = 0; tried < tries; tried += 1) {
      if (tried > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      detail = await problemOf(address, timeoutMs);
      if (detail === null) return [];
    }
    return [{ address, detail: detail ?? "" }];
  };
  return (await Promise.all(addresses.map((address) => limit(() => ask(address))))).flat();
}
