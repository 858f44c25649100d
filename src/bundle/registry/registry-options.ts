import type { Environment } from "../run-program.ts";

export interface RegistryOptions {
  /** Path of the crane binary: it knows the docker configuration and its credential helpers. */
  crane?: string | undefined;
  /** The registry speaks HTTP without TLS. */
  plainHttp?: boolean | undefined;
  /** A PEM file with the CA of the registry's certificate. */
  ca?: string | undefined;
  /** How long one request may take. */
  timeoutMs?: number | undefined;
  /** What crane runs in (HOME, DOCKER_CONFIG) (default: our own). Needed together with `ca`. */
  env?: Environment | undefined;
}
