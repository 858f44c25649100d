import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openRegistry, type Registry } from "../../../../src/bundle/registry/open-registry.ts";
import type { RegistryOptions } from "../../../../src/bundle/registry/registry-options.ts";
import { toolPath } from "../../../../src/toolchain/tool-path.ts";
import { certificateOf } from "../../../support/services/certificate-of.ts";
import { type FaultyRegistry, startFaultyRegistry } from "../../../support/bundles/registry.ts";

const PIECE = Buffer.alloc(64 * 1024, "x");
const MOST_PIECES = 4800;

let folder: string;
let door: FaultyRegistry;
let crane: string;
const opened: Registry[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-registry-"));
  door = await startFaultyRegistry("127.0.0.1:1");
  crane = await toolPath("crane");
});

afterEach(() => {
  door.fault = null;
});

afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
  await door.close();
  await rm(folder, { recursive: true, force: true });
});

async function ask(options: RegistryOptions = {}): Promise<unknown> {
  const registry = await openRegistry({ plainHttp: true, timeoutMs: 5000, ...options });
  opened.push(registry);
  const reference = { host: door.host, repository: "policies/landfall", version: "one" };
  return registry.get(reference, "manifests/one", { limit: 1000 });
}

/** Answers with 300 MB, as far as the client reads; returns how many bytes that were. */
function flood(status: number): () => number {
  let sent = 0;
  const write = (response: ServerResponse): void => {
    if (response.destroyed) return;
    if (sent >= MOST_PIECES * PIECE.length) {
      response.end();
      return;
    }
    sent += PIECE.length;
    response.write(PIECE, () => {
      write(response);
    });
  };
  door.fault = (_, response) => {
    response.writeHead(status);
    write(response);
    return true;
  };
  return () => sent;
}

/** A challenge whose token endpoint never ends its answer. */
function endlessToken(): void {
  door.fault = ({ url = "" }, response) => {
    if (url.startsWith("/token")) {
      response.writeHead(200);
      response.write('{"token":"');
      return true;
    }
    response.writeHead(401, { "www-authenticate": `Bearer realm="http://${door.host}/token",service="here"` });
    response.end();
    return true;
  };
}

describe("15: an answer of a registry", () => {
  it.each([404, 500, 403])("of status %i is read up to a limit", async (status) => {
    const sent = flood(status);
    await expect(ask()).rejects.toThrow(`HTTP ${String(status)}`);
    // Buffers of the sockets hold some MB that nobody reads.
    expect(sent()).toBeLessThan(32 * 1024 * 1024);
  });

  it("that never ends has a deadline, whatever its status is", async () => {
    for (const status of [200, 401, 500]) {
      door.fault = (_, response) => {
        response.writeHead(status);
        response.write("x");
        return true;
      };
      await expect(ask({ timeoutMs: 300 })).rejects.toThrow("registry");
    }
  });
});

describe("15: a redirect of a registry", () => {
  const SECRET = "text of an internal service";

  /** Another service, which the registry redirects to. */
  async function startOther(status: number) {
    const asked: IncomingHttpHeaders[] = [];
    const server = createServer(({ headers }, response) => {
      asked.push(headers);
      response.writeHead(status).end(SECRET);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return { server, asked, url: `http://127.0.0.1:${String(port)}/` };
  }

  it("gets no credentials at another origin, and its error text is not shown", async () => {
    const other = await startOther(500);
    door.fault = ({ headers }, response) => {
      if (headers.authorization === undefined) response.writeHead(401, { "www-authenticate": 'Basic realm="x"' });
      else response.writeHead(307, { location: other.url });
      response.end();
      return true;
    };
    await mkdir(join(folder, "basic"));
    const auths = { [door.host]: { auth: Buffer.from("user:password").toString("base64") } };
    await writeFile(join(folder, "basic", "config.json"), JSON.stringify({ auths }));
    const failure = ask({ crane, env: { DOCKER_CONFIG: join(folder, "basic") } });
    await expect(failure).rejects.toThrow("HTTP 500 after a redirect");
    await expect(failure).rejects.not.toThrow(SECRET);
    expect(other.asked).toHaveLength(1);
    expect(other.asked[0]).not.toHaveProperty("authorization");
    other.server.close();
  });

  it("does not lead from TLS to plain HTTP", async () => {
    const other = await startOther(200);
    const { certificate, key } = await certificateOf(new Date("2026-01-01"), new Date("2036-01-01"));
    const tls = await startFaultyRegistry("127.0.0.1:1", { key, cert: certificate });
    tls.fault = (_, response) => Boolean(response.writeHead(307, { location: other.url }).end());
    const ca = join(folder, "ca.crt");
    await writeFile(ca, certificate);
    const registry = await openRegistry({ ca });
    opened.push(registry);
    const reference = { host: tls.host, repository: "policies/landfall", version: "one" };
    await expect(registry.get(reference, "manifests/one", { limit: 1000 })).rejects.toThrow("without TLS");
    expect(other.asked).toEqual([]);
    await tls.close();
    other.server.close();
  });
});

describe("15: crane", () => {
  it("ends if the token endpoint does not", async () => {
    endlessToken();
    await mkdir(join(folder, "empty"));
    const env = { DOCKER_CONFIG: join(folder, "empty") };
    const began = performance.now();
    await expect(ask({ crane, env, craneTimeoutMs: 500 })).rejects.toMatchObject({ code: "BUNDLE_REGISTRY_AUTH" });
    expect(performance.now() - began).toBeLessThan(3000);
  });

  it("ends together with a credential helper that does not", async () => {
    endlessToken();
    await writeFile(join(folder, "docker-credential-slow"), "#!/bin/sh\nexec sleep 20\n");
    await chmod(join(folder, "docker-credential-slow"), 0o755);
    await mkdir(join(folder, "slow"));
    const config = { credHelpers: { [door.host]: "slow" } };
    await writeFile(join(folder, "slow", "config.json"), JSON.stringify(config));
    const env = { DOCKER_CONFIG: join(folder, "slow"), PATH: `${folder}:/usr/bin:/bin` };
    const began = performance.now();
    await expect(ask({ crane, env, craneTimeoutMs: 500 })).rejects.toMatchObject({ code: "BUNDLE_REGISTRY_AUTH" });
    expect(performance.now() - began).toBeLessThan(3000);
  });
});
