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
}

/** Says who asks. Throws or rejects with ADM_CLIENT_CERTIFICATE or ADM_NOT_AUTHENTICATED. */
export type Authenticate = (request: IncomingMessage) => Caller | Promise<Caller>;

/** IPv4 addresses are written in one way. */
const sourceOf = ({ socket }: Pick<IncomingMessage, "socket">): string =>
  (socket.remoteAddress ?? "").replace(/^::ffff:/, "");

/**
 * The common name in the certificate of each connection, null without one. TLS 1.3 has no renegotiation, so it stays; each reading parses the certificate,
 * a tenth of the main thread's work in a profile of 16 connections.
 */
const commonNames = new WeakMap<TLSSocket, string | null>();

function commonNameOf(socket: TLSSocket): string | null {
  const known = commonNames.get(socket);
  if (known !== undefined) return known;
  // Without a certificate there is no subject.
  const { CN } = socket.getPeerCertificate().subject;
  const name = typeof CN === "string" ? CN : null;
  commonNames.set(socket, name);
  return name;
}

/** Whether the peer showed the API server's certificate, which has this common name. */
export const showsCertificate = (socket: TLSSocket, clientName: string): boolean =>
  socket.authorized && commonNameOf(socket) === clientName;

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
export function createAuthenticate({ mode, clientName, checkToken }: AuthenticateOptions): Authenticate {
  function byToken(fault: string | null): Caller {
    // A wrong token is refused with every mode: nothing but a mistake or an attack shows one.
    if (fault !== null) throw refused("token", `a token that ${fault}`);
    return { authentication: "token", source: "" };
  }

  return (request) => {
    if (clientName !== null && showsCertificate(request.socket as TLSSocket, clientName)) return AUTHENTICATED;
    const token = checkToken === null ? null : bearerOf(request.headers);
    if (checkToken !== null && token !== null) return checkToken(token, pathOf(request)).then(byToken);
    if (mode === "none" || mode === "auto") return { authentication: "none", source: sourceOf(request) };
    throw refused(mode, "neither a certificate nor a token");
  };
}
