import type { Dispatcher } from "undici";
import type { Toolchain } from "../tool-spec.ts";

/** The dispatcher that asks the projects' hosts, through the proxies that the environment names. */
export async function openNetwork({ env, network }: Toolchain): Promise<Dispatcher> {
  // Loaded when it is needed: few starts download anything.
  const [{ EnvHttpProxyAgent }, { rootCertificates, getCACertificates }] = await Promise.all([
    import("undici"),
    import("node:tls"),
  ]);
  // Those of NODE_EXTRA_CA_CERTS are among the default ones.
  const known = new Set([...rootCertificates, ...getCACertificates("default")]);
  const tls = network.ca === undefined ? {} : { ca: [...known, network.ca] };
  const named = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? "";
  return new EnvHttpProxyAgent({
    ...{ httpProxy: named("HTTP_PROXY"), httpsProxy: named("HTTPS_PROXY"), noProxy: named("NO_PROXY") },
    ...{ connect: { timeout: network.connectMs, ...tls }, requestTls: tls },
    ...{ headersTimeout: network.idleMs, bodyTimeout: network.idleMs },
  });
}
