import type { Environment } from "../run-program.ts";
import type { RegistryOptions } from "./registry-options.ts";

/** How crane is told about TLS; everything else it reads from the docker configuration. */
export function craneOptions({ plainHttp, ca, env }: RegistryOptions): {
  flags: string[];
  env: Environment | undefined;
} {
  return {
    flags: plainHttp === true ? ["--insecure"] : [],
    // Go reads the system's own directory of roots besides.
    env: ca === undefined ? env : { ...env, SSL_CERT_FILE: ca },
  };
}
