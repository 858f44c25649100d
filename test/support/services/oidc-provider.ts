import { createHash, createSign, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { PemPair } from "../../../src/certificates/issue-certificate.ts";

/** Someone who can sign in. */
export interface Person {
  email: string;
  groups: string[];
}

export interface ProviderOptions {
  /** For 127.0.0.1. */
  certificate: PemPair;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  people: readonly Person[];
  /** How long a token is valid. */
  tokenSeconds: number;
}

/** An OpenID Connect provider on loopback. */
export interface OidcProvider {
  issuer: string;
  /** Every ID token that it gave, in order, with the way by which. */
  given: { grant: string; email: string; token: string }[];
  /** An ID token without a sign-in. */
  tokenOf(email: string): string;
  close(): Promise<void>;
}

/** What an authorization code or a refresh token stands for. */
interface Grant {
  person: Person;
  nonce: string | null;
  challenge: string | null;
}

interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

const KEY_ID = "key-1";
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const refused = (error: string, status = 400): Reply => ({ status, body: { error } });

function sign(claims: object, key: KeyObject): string {
  const text = `${encode({ alg: "RS256", kid: KEY_ID, typ: "JWT" })}.${encode(claims)}`;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(key, "base64url")}`;
}

/** RFC 6749, section 2.3.1: by the header, or in the form. */
function isClient(authorization: string, form: URLSearchParams, { clientId, clientSecret }: ProviderOptions): boolean {
  const basic = Buffer.from(authorization.replace(/^Basic /, ""), "base64")
    .toString()
    .split(":")
    .map(decodeURIComponent);
  const [id, secret] = authorization.startsWith("Basic ") ? basic : [form.get("client_id"), form.get("client_secret")];
  return id === clientId && secret === clientSecret;
}

const escape = (value: string): string => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/** The provider's own page, on which people choose who they are. */
function signInPage({ people }: ProviderOptions, query: string): Reply {
  const buttons = people.map(({ email }) => `<button name="email" value="${escape(email)}">${escape(email)}</button>`);
  const body = `<!doctype html><title>Sign in</title><form method="post" action="/authorize?${escape(query)}">${buttons.join("")}</form>`;
  return { status: 200, body, headers: { "content-type": "text/html" } };
}

function checkAsked(asked: URLSearchParams, { clientId, redirectUri }: ProviderOptions): string | null {
  if (asked.get("client_id") !== clientId) return "unauthorized_client";
  if (asked.get("redirect_uri") !== redirectUri) return "invalid_request";
  if (asked.get("response_type") !== "code") return "unsupported_response_type";
  if (!(asked.get("scope") ?? "").split(" ").includes("openid")) return "invalid_scope";
  return asked.get("code_challenge_method") === "S256" ? null : "invalid_request";
}

/** The routes of a provider; each code and each refresh token is taken once. */
function makeRoutes(options: ProviderOptions, issuer: () => string, given: OidcProvider["given"]) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map<string, Grant>();
  const refreshes = new Map<string, Grant>();
  function tokenOf({ person: { email, groups }, nonce }: Grant): string {
    const iat = Math.floor(Date.now() / 1000);
    const times = { iat, exp: iat + options.tokenSeconds };
    const subject = { sub: createHash("sha256").update(email).digest("hex"), email, email_verified: true, groups };
    return sign(
      { iss: issuer(), aud: options.clientId, ...times, ...subject, ...(nonce === null ? {} : { nonce }) },
      privateKey,
    );
  }
  const take = (grants: Map<string, Grant>, name: string | null): Grant | undefined => {
    const found = grants.get(name ?? "");
    grants.delete(name ?? "");
    return found;
  };
  function answer(grant: Grant, by: string): Reply {
    const refresh = randomUUID();
    refreshes.set(refresh, grant);
    const token = tokenOf(grant);
    given.push({ grant: by, email: grant.person.email, token });
    const more = { token_type: "Bearer", expires_in: options.tokenSeconds, refresh_token: refresh };
    return { status: 200, body: { access_token: randomUUID(), id_token: token, ...more } };
  }
  return {
    tokenOf,
    discovery: (): Reply => ({
      status: 200,
      body: {
        ...{ issuer: issuer(), jwks_uri: `${issuer()}/keys` },
        ...{ authorization_endpoint: `${issuer()}/authorize`, token_endpoint: `${issuer()}/token` },
        ...{ response_types_supported: ["code"], subject_types_supported: ["public"] },
        ...{ id_token_signing_alg_values_supported: ["RS256"], code_challenge_methods_supported: ["S256"] },
      },
    }),
    keys: (): Reply => ({
      status: 200,
      body: { keys: [{ ...publicKey.export({ format: "jwk" }), kid: KEY_ID, alg: "RS256", use: "sig" }] },
    }),
    authorize(asked: URLSearchParams, form: URLSearchParams | null): Reply {
      const wrong = checkAsked(asked, options);
      if (wrong !== null) return refused(wrong);
      if (form === null) return signInPage(options, asked.toString());
      const person = options.people.find(({ email }) => email === form.get("email"));
      if (person === undefined) return refused("access_denied", 403);
      const code = randomUUID();
      codes.set(code, { person, nonce: asked.get("nonce"), challenge: asked.get("code_challenge") });
      const back = new URL(options.redirectUri);
      back.search = new URLSearchParams({ code, state: asked.get("state") ?? "" }).toString();
      return { status: 303, headers: { location: back.href } };
    },
    token(authorization: string, form: URLSearchParams): Reply {
      if (!isClient(authorization, form, options)) return refused("invalid_client", 401);
      const by = form.get("grant_type") ?? "";
      if (by === "refresh_token") {
        const grant = take(refreshes, form.get("refresh_token"));
        return grant === undefined ? refused("invalid_grant") : answer({ ...grant, nonce: null }, by);
      }
      const grant = by === "authorization_code" ? take(codes, form.get("code")) : undefined;
      const proof = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (grant === undefined || grant.challenge !== proof) return refused("invalid_grant");
      return form.get("redirect_uri") === options.redirectUri ? answer(grant, by) : refused("invalid_grant");
    },
  };
}

type Routes = ReturnType<typeof makeRoutes>;

interface Call {
  method: string;
  url: URL;
  authorization: string;
  form: URLSearchParams;
}

function route(routes: Routes, { method, url, authorization, form }: Call): Reply {
  const { pathname, searchParams } = url;
  if (pathname === "/.well-known/openid-configuration") return routes.discovery();
  if (pathname === "/keys") return routes.keys();
  if (pathname === "/authorize") return routes.authorize(searchParams, method === "POST" ? form : null);
  if (pathname === "/token" && method === "POST") return routes.token(authorization, form);
  return refused("not_found", 404);
}

/** Starts a provider with the authorization code flow, PKCE and refresh tokens. Its people sign in without a password. */
export async function startOidcProvider(options: ProviderOptions): Promise<OidcProvider> {
  const given: OidcProvider["given"] = [];
  const { certificate: cert, key } = options.certificate;
  const server: Server = createServer({ cert, key });
  const issuer = (): string => `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const routes = makeRoutes(options, issuer, given);
  server.on("request", (request, response) => {
    void text(request).then((body) => {
      const { authorization = "" } = request.headers;
      const url = new URL(request.url ?? "/", issuer());
      const form = new URLSearchParams(body);
      const { method = "" } = request;
      const { status, body: said, headers } = route(routes, { method, url, authorization, form });
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", ...headers });
      response.end(typeof said === "string" ? said : JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    issuer: issuer(),
    given,
    tokenOf(email) {
      const person = options.people.find((one) => one.email === email);
      if (person === undefined) throw new Error(`${email} is nobody`);
      return routes.tokenOf({ person, nonce: null, challenge: null });
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
