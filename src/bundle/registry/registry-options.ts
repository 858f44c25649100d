import type { Environment } from "../run-program.ts";

export interface RegistryOptions {
  /** Path of the crane binary, which handles the docker configuration and its credential helpers. */
  crane?: string | undefined;
  /** The registry speaks HTTP without TLS. */
  plainHttp?: boolean | undefined;
  /** A PEM file with the CA of the registry's certificate. */
  ca?: string | undefined;
  /** Time limit of one request. */
  timeoutMs?: number | undefined;
  /** Time limit of one look-up of credentials by crane. */
  craneTimeoutMs?: number | undefined;
  /** crane's environment (HOME, DOCKER_CONFIG); default: our own. Required together with `ca`. */
  env?: Environment | undefined;
}
