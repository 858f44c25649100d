import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Toolchain } from "../tool-spec.ts";
import { openNetwork } from "./open-network.ts";

/** How long it is remembered which hosts did not answer. */
const REMEMBERED_MS = 6 * 3600_000;

interface Memo {
  /** Milliseconds since 1970. */
  at: number;
  unreachable: string[];
}

const memoFile = ({ cacheFolder }: Toolchain): string => join(cacheFolder, "unreachable.json");

async function readMemo(chain: Toolchain): Promise<Memo | null> {
  try {
    const memo = JSON.parse(await readFile(memoFile(chain), "utf8")) as Memo;
    const age = Date.now() - memo.at;
    return Array.isArray(memo.unreachable) && age >= 0 && age < REMEMBERED_MS ? memo : null;
  } catch {
    return null;
  }
}

async function writeMemo(chain: Toolchain, memo: Memo): Promise<void> {
  const file = memoFile(chain);
  await writeFile(`${file}.${String(process.pid)}`, JSON.stringify(memo));
  await rename(`${file}.${String(process.pid)}`, file);
}

/** The hosts that give no answer within `probeMs`, all asked at the same time. */
async function probe(hosts: readonly string[], chain: Toolchain): Promise<string[]> {
  const { request } = await import("undici");
  const dispatcher = await openNetwork(chain);
  const end = new AbortController();
  const answered = async (host: string): Promise<boolean> => {
    try {
      const { body } = await request(`https://${host}/`, { method: "HEAD", dispatcher, signal: end.signal });
      await body.dump();
      return true;
    } catch {
      return false;
    }
  };
  const late = sleep(chain.network.probeMs, false, { signal: end.signal }).catch(() => false);
  const known = await Promise.all(hosts.map(async (host) => Promise.race([answered(host), late])));
  end.abort();
  await dispatcher.destroy();
  return hosts.filter((_, at) => known[at] === false);
}

/**
 * Which of the projects' hosts do not answer. They are asked once for all programs, and the answer is kept in the cache for six
 * hours: a machine without such a network loses three seconds, not three for each program or start.
 */
export async function unreachableHosts(hosts: readonly string[], chain: Toolchain): Promise<Set<string>> {
  const memo = await readMemo(chain);
  if (memo !== null) return new Set(memo.unreachable);
  const unreachable = await probe(hosts, chain);
  await writeMemo(chain, { at: Date.now(), unreachable });
  return new Set(unreachable);
}

/** Remembers a host that answered the probe but not the download. */
export async function rememberUnreachable(host: string, chain: Toolchain): Promise<void> {
  const { at, unreachable } = (await readMemo(chain)) ?? { at: Date.now(), unreachable: [] };
  await writeMemo(chain, { at, unreachable: [...new Set([...unreachable, host])] });
}
