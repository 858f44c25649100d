/** Addresses of proxies in the form that undici takes; "" for none. */
export interface Proxies {
  httpProxy: string;
  httpsProxy: string;
  noProxy: string;
}

/** The proxies that an environment names. */
export function proxiesOf(env: Readonly<Record<string, string | undefined>>): Proxies {
  const named = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? "";
  return { httpProxy: named("HTTP_PROXY"), httpsProxy: named("HTTPS_PROXY"), noProxy: named("NO_PROXY") };
}
