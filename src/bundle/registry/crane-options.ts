import type { Environment } from "../run-program.ts";
import type { RegistryOptions } from "./registry-options.ts";

/** crane's TLS options; it reads everything else from the docker configuration. */
export function craneOptions({ plainHttp, insecure, ca, env }: RegistryOptions): {
  flags: string[];
  env: Environment | undefined;
} {
  return {
    flags: plainHttp === true || insecure === true ? ["--insecure"] : [],
    // Go also reads the system's directory of roots.
    env: ca === undefined ? env : { ...env, SSL_CERT_FILE: ca },
  };
}
