// crane asks registries that are named by a private address over HTTP if they do not answer over TLS. Whoever stands between then gets
// the credentials.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTls } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openRegistry } from "../../../../src/bundle/registry/open-registry.ts";
import { pushImage } from "../../../../src/bundle/registry/push-image.ts";
import { issueAuthority, issueServer } from "../../../../src/certificates/issue-certificate.ts";
import { toolPath } from "../../../../src/toolchain/tool-path.ts";

/** The first byte of a TLS handshake. */
const HANDSHAKE = 0x16;

let folder: string;
let host: string;
let servers: Server[];
/** Connections with TLS that reach the registry; later ones are cut. */
let tlsLeft: number;
/** The requests that came without TLS, and the credentials in them. */
let plain: string[];
let crane: string;
let ca: string;
let env: Record<string, string>;

const challenge = (scheme: string, response: ServerResponse): void => {
  response.writeHead(401, { "www-authenticate": `Bearer realm="${scheme}://${host}/token",service="here"` }).end();
};

function answerPlain({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
  plain.push(`${url} ${headers.authorization ?? "without credentials"}`);
  if (url.startsWith("/token")) response.end(JSON.stringify({ token: "t0ken" }));
  else challenge("http", response);
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-crane-"));
  crane = await toolPath("crane");
  const authority = await issueAuthority("registry CA");
  const { key, certificate: cert } = await issueServer(authority, "registry", [{ type: "ip", value: "127.0.0.1" }]);
  ca = join(folder, "ca.crt");
  await writeFile(ca, authority.certificate.toString("pem"));
  const tls = createTls({ key, cert }, (_, response) => {
    challenge("https", response);
  });
  const http = createHttp(answerPlain);
  const [tlsPort, plainPort] = await Promise.all([portOf(tls), portOf(http)]);
  const between = (socket: Socket): void => {
    socket.once("error", () => socket.destroy());
    socket.once("data", (first) => {
      const encrypted = first[0] === HANDSHAKE;
      if (encrypted && tlsLeft-- <= 0) {
        socket.destroy();
        return;
      }
      const onward = connect(encrypted ? tlsPort : plainPort, "127.0.0.1");
      onward.write(first);
      onward.once("error", () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });
  };
  const door = createServer(between);
  servers = [door, tls, http];
  const port = await portOf(door);
  host = `127.0.0.1:${String(port)}`;
  [plain, tlsLeft] = [[], 1];
  const auths = { [host]: { auth: Buffer.from("ann:secret").toString("base64") } };
  await writeFile(join(folder, "config.json"), JSON.stringify({ auths }));
  env = { DOCKER_CONFIG: folder };
});

afterEach(async () => {
  for (const server of servers) server.close();
  await rm(folder, { recursive: true, force: true });
});

it("390: the token of a registry is not asked for without TLS", async () => {
  const registry = await openRegistry({ crane, ca, env });
  const reference = { host, repository: "policies/landfall", version: "one" };
  const failure = registry.get(reference, "manifests/one", { limit: 1000 });
  await expect(failure).rejects.toMatchObject({ code: "BUNDLE_REGISTRY_AUTH" });
  await registry.close();
  expect(plain).toEqual([]);
});

it("390: a bundle is not pushed without TLS", async () => {
  tlsLeft = 0;
  const ref = `${host}/policies/landfall:one`;
  const config = { mediaType: "application/vnd.oci.image.config.v1+json", bytes: Buffer.from("{}") };
  await expect(pushImage({ crane, ref, ca, env }, { config, layers: [] })).rejects.toMatchObject({
    code: "BUNDLE_REGISTRY_AWAY",
  });
  expect(plain).toEqual([]);
});

it("390: --plain-http still asks for it", async () => {
  const registry = await openRegistry({ crane, plainHttp: true, env });
  const reference = { host, repository: "policies/landfall", version: "one" };
  await expect(registry.get(reference, "manifests/one", { limit: 1000 })).rejects.toMatchObject({
    code: "BUNDLE_REGISTRY_AUTH",
  });
  await registry.close();
  expect(plain).toContainEqual(expect.stringMatching(/^\/token.* Basic /));
});
