import { readFile } from "node:fs/promises";
import type { Dispatcher, Pool as UndiciPool } from "undici";
import { LandfallError } from "../../errors.ts";
import { proxiesOf } from "./proxies-of.ts";
import type { RegistryOptions } from "./registry-options.ts";
import { createWireMeter, type WireMeter } from "./wire-meter.ts";

const CONNECT_TIMEOUT_MS = 10_000;

async function readCa(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    throw new LandfallError("BUNDLE_REGISTRY", { ref: file, detail: "the CA file cannot be read" }, thrown);
  }
}

/** Node's CAs and `ca`; those of the machine, which SSL_CERT_FILE and SSL_CERT_DIR name, as for crane and helm. Null for Node's only. */
async function caOf({ ca, likeGo }: RegistryOptions): Promise<string[] | null> {
  if (ca === undefined && likeGo !== true) return null;
  const { getCACertificates, rootCertificates } = await import("node:tls");
  const known = likeGo === true ? [...getCACertificates("default"), ...getCACertificates("system")] : rootCertificates;
  return [...new Set(known), ...(ca === undefined ? [] : [await readCa(ca)])];
}

/** A dispatcher, and the meter of its connections. */
export interface MeteredAgent {
  agent: Dispatcher;
  meter: WireMeter;
}

/** The dispatcher that sends the requests. Throws BUNDLE_REGISTRY if the CA file cannot be read. */
export async function openAgent(options: RegistryOptions): Promise<MeteredAgent> {
  const ca = await caOf(options);
  const tls = {
    ...(ca === null ? {} : { ca }),
    ...(options.insecure === true ? { rejectUnauthorized: false } : {}),
  };
  // Loaded when it is needed: it takes longer to load than most commands take.
  const { Agent, buildConnector, EnvHttpProxyAgent, Pool } = await import("undici");
  const meter = createWireMeter();
  const connect = meter.metered(buildConnector({ timeout: CONNECT_TIMEOUT_MS, ...tls }));
  const proxies = proxiesOf(options.env ?? {});
  const isDirect = proxies.httpProxy === "" && proxies.httpsProxy === "";
  if (options.likeGo !== true || isDirect) return { agent: new Agent({ connect }), meter };
  // Connections through a proxy come from a connector of its own.
  const factory = (origin: string | URL, given: UndiciPool.Options): Dispatcher =>
    new Pool(origin, typeof given.connect === "function" ? { ...given, connect: meter.metered(given.connect) } : given);
  return { agent: new EnvHttpProxyAgent({ ...proxies, connect, requestTls: tls, factory }), meter };
}
