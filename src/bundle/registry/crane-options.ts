import type { Environment } from "../run-program.ts";
import type { RegistryOptions } from "./registry-options.ts";

/**
 * Hosts for which crane falls back to HTTP: private addresses and names of this machine (go-containerregistry,
 * pkg/name/registry.go). Other addresses are included, in case that crane extends its list.
 */
const FALLS_BACK = /^(?:[\d.]+|\[.*\]|(?:.*\.)?localhost)(?::\d+)?$/;

/**
 * Go refuses each HTTP request of a program that has a proxy for them and takes itself for a CGI script, before it connects
 * (golang.org/x/net/http/httpproxy). Requests over TLS, and their proxies, stay as they are.
 */
const WITHOUT_HTTP = { REQUEST_METHOD: "GET", HTTP_PROXY: "http://without-tls.invalid" };

/** crane's TLS options; it reads everything else from the docker configuration. */
export function craneOptions(
  host: string,
  { plainHttp, insecure, ca, env }: RegistryOptions,
): { flags: string[]; env: Environment | undefined } {
  // Only where it is needed: credential helpers inherit the environment, and those of clouds ask metadata services over HTTP.
  const tlsOnly = plainHttp !== true && FALLS_BACK.test(host);
  const changes = {
    ...(tlsOnly ? WITHOUT_HTTP : {}),
    // Go also reads the system's directory of roots.
    ...(ca === undefined ? {} : { SSL_CERT_FILE: ca }),
  };
  return {
    flags: plainHttp === true || insecure === true ? ["--insecure"] : [],
    env: Object.keys(changes).length === 0 ? env : { ...env, ...changes },
  };
}
