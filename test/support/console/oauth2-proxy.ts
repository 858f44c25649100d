// oauth2-proxy and the API server as docs/operations/console.md configures them.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { vi } from "vitest";
import { parse, stringify } from "yaml";
import { projectPath } from "../../../src/local/processes/project-path.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

/** The block of the page that holds this text. */
async function documented(holds: string): Promise<string> {
  const page = await readFile(projectPath("docs/operations/console.md"), "utf8");
  const blocks = [...page.matchAll(/```\w+\n([^`]*)```/g)].map(([, block = ""]) => block);
  const found = blocks.find((block) => block.includes(holds));
  if (found === undefined) throw new Error(`the page has no block with ${holds}`);
  return found;
}

/** Writes the documented configuration with this issuer, whose CA is `authority` in PEM. Returns its file. */
export async function authenticationConfig(dir: string, issuer: string, authority: string): Promise<string> {
  const { jwt, ...rest } = parse(await documented("AuthenticationConfiguration")) as { jwt: { issuer: object }[] };
  const ours = jwt.map((one) => ({ ...one, issuer: { ...one.issuer, url: issuer, certificateAuthority: authority } }));
  const file = join(dir, "authentication.yaml");
  await writeFile(file, stringify({ ...rest, jwt: ours }));
  return file;
}

export interface ProxyOptions {
  /** Folder with `tls.crt` and `tls.key` for browsers, and `authority.crt` for the issuer and the console. */
  dir: string;
  port: number;
  issuer: string;
  clientSecret: string;
  upstream: string;
  refreshSeconds: number;
}

export interface RunningProxy {
  /** All that it has written. */
  log(): string;
  stop(): Promise<void>;
}

/** The documented flags, with addresses and files of this machine. */
async function flagsOf({ dir, port, issuer, clientSecret, upstream, refreshSeconds }: ProxyOptions): Promise<string[]> {
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(dir, name), text, { mode: 0o600 });
    return join(dir, name);
  };
  const own = new Map([
    ["--oidc-issuer-url", issuer],
    ["--client-secret-file", await file("client-secret", clientSecret)],
    ["--cookie-secret-file", await file("cookie-secret", randomBytes(16).toString("hex"))],
    ["--upstream", upstream],
    ["--cookie-refresh", `${String(refreshSeconds)}s`],
  ]);
  const flags = (await documented("--upstream=")).trim().split("\n");
  const changed = flags.map((flag) => {
    const [name = ""] = flag.split("=", 1);
    const value = own.get(name);
    own.delete(name);
    return value === undefined ? flag : `${name}=${value}`;
  });
  if (own.size > 0) throw new Error(`the page does not name ${[...own.keys()].join(", ")}`);
  const listens = [`--https-address=127.0.0.1:${String(port)}`, "--http-address=-", "--skip-provider-button=true"];
  return [...changed, ...listens, `--tls-cert-file=${join(dir, "tls.crt")}`, `--tls-key-file=${join(dir, "tls.key")}`];
}

/** Starts oauth2-proxy with TLS on this port of 127.0.0.1. */
export async function startOauth2Proxy(options: ProxyOptions): Promise<RunningProxy> {
  const { dir } = options;
  const env = { PATH: process.env["PATH"], HOME: dir, SSL_CERT_FILE: join(dir, "authority.crt") };
  const proxy = spawn(await toolPath("oauth2-proxy"), await flagsOf(options), { env });
  let log = "";
  for (const stream of [proxy.stdout, proxy.stderr]) stream.on("data", (part: Buffer) => (log += part.toString()));
  const isListening = async (): Promise<void> => {
    const socket = connect(options.port, "127.0.0.1");
    await once(socket, "connect").catch((thrown: unknown) => {
      throw new Error(`oauth2-proxy does not listen: ${log}`, { cause: thrown });
    });
    socket.destroy();
  };
  await vi.waitFor(isListening, { timeout: 60_000, interval: 200 }).catch((thrown: unknown) => {
    proxy.kill("SIGTERM");
    throw thrown;
  });
  return {
    log: () => log,
    async stop() {
      const ended = once(proxy, "exit");
      proxy.kill("SIGTERM");
      await ended;
    },
  };
}
