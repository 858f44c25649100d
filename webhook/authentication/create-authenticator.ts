import type { Caller, Authentication, AuthenticationMode } from "../../src/model/caller.ts";
import { limitSources, type SourceLimit } from "./limit-sources.ts";
import { type CheckToken, type Authenticate, createAuthenticate } from "./authenticate.ts";
import { followClientCertificates } from "./client-certificates.ts";
import type { ReadStored } from "./read-stored.ts";

export interface AuthenticationParts {
  mode: AuthenticationMode;
  /** Null if no token is expected. */
  checkToken: CheckToken | null;
  /** For unauthenticated callers: reads stored objects, and reviews per second of one address. */
  unauthenticated: { read: ReadStored; perSecond: number };
}

/** Who is answered, and how many came in which way. */
export interface Authenticator {
  mode: AuthenticationMode;
  open: Authenticate;
  limit: SourceLimit;
  unauthenticated: AuthenticationParts["unauthenticated"];
  /** Counts a review. */
  came: (caller: Caller) => void;
  counts: () => Readonly<Record<Authentication, number>>;
  /** Until when the certificates of the API servers are valid, in ms since 1970, of several the first to end; null if none was shown. */
  certificateEnd: () => number | null;
}

/** Only the API server's certificate. */
export const CERTIFICATE_ONLY: AuthenticationParts = {
  mode: "client-certificate",
  checkToken: null,
  unauthenticated: { read: () => Promise.resolve(null), perSecond: 1 },
};

/** `clientName`: common name of the API server's certificate; empty if none is expected. `onFirst`: the first review of a kind came. */
export function createAuthenticator(
  { mode, checkToken, unauthenticated }: AuthenticationParts,
  clientName: string,
  onFirst: (authentication: Authentication) => void = () => undefined,
): Authenticator {
  const certificates = followClientCertificates(() => performance.now());
  const counts: Record<Authentication, number> = { "client-certificate": 0, token: 0, none: 0 };
  return {
    ...{ mode, unauthenticated },
    open: createAuthenticate({
      ...{ mode, clientName: clientName === "" ? null : clientName, checkToken },
      onCertificate: (end) => certificates.saw(end),
    }),
    limit: limitSources(unauthenticated.perSecond, () => performance.now()),
    came: ({ authentication }) => {
      counts[authentication] += 1;
      if (counts[authentication] === 1) onFirst(authentication);
    },
    counts: () => counts,
    certificateEnd: () => certificates.firstEnd(),
  };
}
