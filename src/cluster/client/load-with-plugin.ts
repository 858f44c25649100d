import { HttpMethod, KubeConfig, RequestContext } from "@kubernetes/client-node";
import type { RestConfig } from "./rest-config.ts";

/** How long the headers of a plug-in are reused, in ms. */
const CREDENTIALS_MS = 60_000;

/** Loads a kubeconfig whose credentials come from a plug-in (exec, OIDC, a cloud's login). The official client runs it. */
export async function loadWithPlugin(file: string): Promise<RestConfig> {
  const config = new KubeConfig();
  config.loadFromFile(file);
  const server = config.getCurrentCluster()?.server ?? "";
  const options: RestConfig["tls"] = {};
  await config.applyToHTTPSOptions(options);
  let headers: Record<string, string> = {};
  let until = 0;
  return {
    server,
    tls: options,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? "default",
    headers: async () => {
      if (Date.now() < until) return headers;
      const context = new RequestContext(server, HttpMethod.GET);
      await config.applySecurityAuthentication(context);
      await context.getDispatcher()?.close();
      headers = context.getHeaders();
      until = Date.now() + CREDENTIALS_MS;
      return headers;
    },
  };
}
