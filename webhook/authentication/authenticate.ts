import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { type ErrorCode, LandfallError } from "../../src/errors.ts";
import { AUTHENTICATED, type Caller, type AuthenticationMode } from "../../src/model/caller.ts";

/** Why a token is not the API server's for this path of the webhook; null if it is. Never rejects. */
export type CheckToken = (token: string, path: string) => Promise<string | null>;

export interface AuthenticateOptions {
  mode: AuthenticationMode;
  /** Common name of the API server's certificate; null if none is expected. */
  clientName: string | null;
  /** Null if no token is expected. */
  checkToken: CheckToken | null;
  /** The API server showed a certificate that is valid until then, in ms since 1970. */
  onCertificate?: (end: number) => void;
}

/** Says who asks. Throws or rejects with ADM_CLIENT_CERTIFICATE or ADM_NOT_AUTHENTICATED. */
export type Authenticate = (request: IncomingMessage) => Caller | Promise<Caller>;

/** IPv4 addresses are written in one way. */
const sourceOf = ({ socket }: Pick<IncomingMessage, "socket">): string =>
  (socket.remoteAddress ?? "").replace(/^::ffff:/, "");

interface Shown {
  /** Null without one. */
  commonName: string | null;
  /** Until when it is valid, in ms since 1970. */
  end: number;
}

/**
 * The certificate of each connection. TLS 1.3 has no renegotiation, so it stays; each reading parses the certificate, a tenth of the main thread's
 * work in a profile of 16 connections.
 */
const certificates = new WeakMap<TLSSocket, Shown>();

function certificateOf(socket: TLSSocket): Shown {
  const known = certificates.get(socket);
  if (known !== undefined) return known;
  const { subject, valid_to: until } = socket.getPeerCertificate();
  const shown = { commonName: typeof subject.CN === "string" ? subject.CN : null, end: Date.parse(until) };
  certificates.set(socket, shown);
  return shown;
}

/** The API server's certificate, which has this common name; null if the peer did not show it. */
const shownTo = (socket: TLSSocket, clientName: string): Shown | null =>
  socket.authorized && certificateOf(socket).commonName === clientName ? certificateOf(socket) : null;

/** Whether the peer showed the API server's certificate, which has this common name. */
export const showsCertificate = (socket: TLSSocket, clientName: string): boolean =>
  shownTo(socket, clientName) !== null;

/** The API server adds its time limit as a query. */
const pathOf = ({ url = "" }: IncomingMessage): string => url.split("?", 1)[0] ?? "";

const bearerOf = ({ authorization = "" }: IncomingHttpHeaders): string | null =>
  /^Bearer (\S+)$/.exec(authorization)?.[1] ?? null;

const REMEDY = "see docs/operations/install.md#how-the-api-server-is-authenticated, and what `landfall doctor` says";

function refused(mode: AuthenticationMode, shown: string): LandfallError {
  if (mode === "client-certificate") return new LandfallError("ADM_CLIENT_CERTIFICATE" satisfies ErrorCode);
  return new LandfallError("ADM_NOT_AUTHENTICATED", { shown, wanted: "the API server's token", remedy: REMEDY });
}

/** Judges each request by what it shows itself: what other requests showed says nothing about it. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { mode, clientName, checkToken, onCertificate } = options;
  function byToken(fault: string | null): Caller {
    // A wrong token is refused with every mode: nothing but a mistake or an attack shows one.
    if (fault !== null) throw refused("token", `a token that ${fault}`);
    return { authentication: "token", source: "" };
  }

  return (request) => {
    const shown = clientName === null ? null : shownTo(request.socket as TLSSocket, clientName);
    if (shown !== null) {
      onCertificate?.(shown.end);
      return AUTHENTICATED;
    }
    const token = checkToken === null ? null : bearerOf(request.headers);
    if (checkToken !== null && token !== null) return checkToken(token, pathOf(request)).then(byToken);
    if (mode === "none" || mode === "auto") return { authentication: "none", source: sourceOf(request) };
    throw refused(mode, "neither a certificate nor a token");
  };
}
