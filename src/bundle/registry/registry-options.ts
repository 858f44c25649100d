import type { Environment } from "../run-program.ts";

export interface RegistryOptions {
  /** Path of the crane binary, which handles the docker configuration and its credential helpers. */
  crane?: string | undefined;
  /** The registry speaks HTTP without TLS. */
  plainHttp?: boolean | undefined;
  /** A PEM file with the CA of the registry's certificate. */
  ca?: string | undefined;
  /** Certificates of the registry are not verified. */
  insecure?: boolean | undefined;
  /** As programs in Go do: the machine's CAs are trusted as well, and the proxies of `env` are used. */
  likeGo?: boolean | undefined;
  /** Time limit of one request. */
  timeoutMs?: number | undefined;
  /** Time limit of one look-up of credentials by crane. */
  craneTimeoutMs?: number | undefined;
  /** crane's environment (HOME, DOCKER_CONFIG); default: our own. Required unless `plainHttp`. */
  env?: Environment | undefined;
}
