import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pullBundle } from "../../../src/bundle/pull-bundle.ts";
import { pushBundle } from "../../../src/bundle/push-bundle.ts";
import type { ErrorCode } from "../../../src/errors.ts";
import { writeTar } from "../../../src/model/bundle-format/tar.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import {
  type Fault,
  type FaultyRegistry,
  startFaultyRegistry,
  startRegistry,
  type TestRegistry,
} from "../../support/bundles/registry.ts";
import { certificateOf } from "../../support/services/certificate-of.ts";
import { issueAuthority, issueServer } from "../../../src/certificates/issue-certificate.ts";

const REPOSITORY = "policies/landfall";
let folder: string;
let crane: string;
let registry: TestRegistry;
let door: FaultyRegistry;
let pushed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-faults-"));
  crane = await toolPath("crane");
  registry = await startRegistry(crane);
  door = await startFaultyRegistry(registry.host);
  const file = join(folder, "bundle.tar.gz");
  await writeFile(file, writeTar(new Map([["/data.json", Buffer.alloc(5000, "x")]])));
  const ref = `${registry.host}/${REPOSITORY}:one`;
  pushed = (await pushBundle({ crane, file, ref, plainHttp: true })).digest;
  await mkdir(join(folder, "docker"));
});

afterEach(() => {
  door.fault = null;
});

afterAll(async () => {
  await Promise.all([door.close(), registry.close()]);
  await rm(folder, { recursive: true, force: true });
});

const pull = (host = door.host, options: Partial<Parameters<typeof pullBundle>[0]> = {}) =>
  pullBundle({ crane, ref: `${host}/${REPOSITORY}:one`, plainHttp: true, timeoutMs: 2000, ...options });

const answer = (response: ServerResponse, status: number, body: string | Buffer, headers = {}): true => {
  response.writeHead(status, headers);
  response.end(body);
  return true;
};

/** Only for the paths that match. */
const on =
  (path: RegExp, fault: Fault): Fault =>
  (request, response) =>
    path.test(request.url ?? "") && fault(request, response);

const reply =
  (status: number, body: string | Buffer, headers = {}): Fault =>
  (_, response) =>
    answer(response, status, body, headers);

const manifest = (changes: Record<string, unknown>): string =>
  JSON.stringify({ schemaVersion: 2, layers: [], ...changes });
const LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";
const DIGEST = `sha256:${"0".repeat(64)}`;
const layer = { mediaType: LAYER, digest: DIGEST, size: 10 };

describe("a faulty registry", () => {
  it("works without a fault, and returns the signed digest", async () => {
    expect(await pull()).toMatchObject({ image: pushed });
  });

  it.each<[string, Fault, ErrorCode, string]>([
    ["received too many requests", reply(429, "slow down", { "retry-after": "7" }), "BUNDLE_REGISTRY_BUSY", "7 s"],
    ["forbids", reply(403, "no"), "BUNDLE_REGISTRY_AUTH", "HTTP 403"],
    ["fails inside", reply(500, "oops"), "BUNDLE_REGISTRY", "HTTP 500 oops"],
    ["hangs up", (request) => Boolean(request.socket.destroy()), "BUNDLE_REGISTRY_AWAY", "does not answer"],
    ["answers no JSON", on(/manifests/, reply(200, "<html>")), "BUNDLE_UNREADABLE", "its manifest"],
    [
      "answers a list of images",
      on(/manifests/, reply(200, manifest({ layers: undefined, manifests: [] }))),
      "BUNDLE_UNREADABLE",
      "names no layers",
    ],
    [
      "answers an image with two layers",
      on(/manifests/, reply(200, manifest({ layers: [layer, layer] }))),
      "BUNDLE_UNREADABLE",
      "no single layer",
    ],
    [
      "answers an image of docker's type",
      on(
        /manifests/,
        reply(
          200,
          manifest({ layers: [{ ...layer, mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip" }] }),
        ),
      ),
      "BUNDLE_UNREADABLE",
      LAYER,
    ],
    [
      "names a layer by no digest",
      on(/manifests/, reply(200, manifest({ layers: [{ ...layer, digest: "md5:1" }] }))),
      "BUNDLE_UNREADABLE",
      "names no layers",
    ],
    [
      "names a layer larger than any",
      on(/manifests/, reply(200, manifest({ layers: [{ ...layer, size: 1e12 }] }))),
      "BUNDLE_LIMIT",
      "1000000000000",
    ],
    [
      "serves a layer larger than it said",
      on(/blobs/, reply(200, Buffer.alloc(65 * 1024 * 1024))),
      "BUNDLE_LIMIT",
      "larger than",
    ],
    ["serves another layer", on(/blobs/, reply(200, gzipSync("other"))), "BUNDLE_TAMPERED", "the registry serves"],
    [
      "serves half a layer",
      on(/blobs/, (_, response) => answer(response, 200, "half", { "content-length": "4" })),
      "BUNDLE_TAMPERED",
      "serves 4 of",
    ],
    [
      "breaks off in a layer",
      on(/blobs/, (_, response) => {
        response.writeHead(200, { "content-length": "5000" });
        response.write("half", () => response.destroy());
        return true;
      }),
      "BUNDLE_REGISTRY_AWAY",
      "does not answer",
    ],
  ])("%s", async (_, fault, code, text) => {
    door.fault = fault;
    const failure = pull();
    await expect(failure).rejects.toMatchObject({ code });
    await expect(failure).rejects.toThrow(text);
  });

  it("is slow", async () => {
    door.fault = () => true;
    const began = performance.now();
    await expect(pull(door.host, { timeoutMs: 200 })).rejects.toMatchObject({ code: "BUNDLE_REGISTRY_SLOW" });
    expect(performance.now() - began).toBeLessThan(2000);
  });

  it("serves a manifest that does not match the digest", async () => {
    door.fault = on(/manifests/, reply(200, manifest({ layers: [layer] })));
    await expect(pull(door.host, { ref: `${door.host}/${REPOSITORY}@${pushed}` })).rejects.toMatchObject({
      code: "BUNDLE_TAMPERED",
    });
  });
});

describe("credentials", () => {
  const wanted = `Basic ${Buffer.from("ann:secret").toString("base64")}`;
  const login = async (name: string, auth: string): Promise<Record<string, string>> => {
    const config = join(folder, name);
    await mkdir(config, { recursive: true });
    const entry = { auth: Buffer.from(auth).toString("base64") };
    await writeFile(join(config, "config.json"), JSON.stringify({ auths: { [door.host]: entry } }));
    return { DOCKER_CONFIG: config };
  };
  const basic: Fault = (request, response) =>
    request.headers.authorization === wanted
      ? false
      : answer(response, 401, "who?", { "www-authenticate": 'Basic realm="here"' });
  const bearer: Fault = (request, response) => {
    const { url = "", headers } = request;
    if (url.startsWith("/token"))
      return answer(response, headers.authorization === wanted ? 200 : 401, JSON.stringify({ token: "t0ken" }));
    if (headers.authorization === "Bearer t0ken") return false;
    const realm = `Bearer realm="http://${door.host}/token",service="here",scope="repository:${REPOSITORY}:pull"`;
    return answer(response, 401, "who?", { "www-authenticate": realm });
  };

  it.each([
    ["user and password", basic],
    ["a token", bearer],
  ])("of the docker configuration: %s", async (_, fault) => {
    door.fault = fault;
    expect(await pull(door.host, { env: await login("good", "ann:secret") })).toMatchObject({ image: pushed });
  });

  it.each([
    ["user and password", basic],
    ["a token", bearer],
  ])("that are wrong are told apart: %s", async (_, fault) => {
    door.fault = fault;
    const failure = pull(door.host, { env: await login("wrong", "ann:guess") });
    await expect(failure).rejects.toMatchObject({ code: "BUNDLE_REGISTRY_AUTH" });
    const missing = pull(door.host, { env: { DOCKER_CONFIG: join(folder, "docker") } });
    await expect(missing).rejects.toMatchObject({ code: "BUNDLE_REGISTRY_AUTH" });
  });

  it("are used for pushes too, and a refusal has the same code", async () => {
    door.fault = basic;
    const options = {
      crane,
      file: join(folder, "bundle.tar.gz"),
      ref: `${door.host}/${REPOSITORY}:two`,
      plainHttp: true,
    };
    expect((await pushBundle({ ...options, env: await login("good", "ann:secret") })).digest).toBe(pushed);
    await expect(pushBundle({ ...options, env: await login("wrong", "ann:guess") })).rejects.toMatchObject({
      code: "BUNDLE_REGISTRY_AUTH",
    });
  });
});

describe("TLS", () => {
  it("trusts only the given CA, for pulls and pushes", async () => {
    const authority = await issueAuthority("registry CA");
    const pair = await issueServer(authority, "registry", [{ type: "ip", value: "127.0.0.1" }]);
    const tls = await startFaultyRegistry(registry.host, { key: pair.key, cert: pair.certificate });
    const ca = join(folder, "ca.crt");
    await writeFile(ca, authority.certificate.toString("pem"));
    const env = { PATH: "", DOCKER_CONFIG: join(folder, "docker") };
    try {
      expect(await pull(tls.host, { ca, plainHttp: false, env })).toMatchObject({ image: pushed });
      await expect(pull(tls.host, { plainHttp: false })).rejects.toMatchObject({ code: "BUNDLE_REGISTRY_TLS" });
      const options = { crane, file: join(folder, "bundle.tar.gz"), ref: `${tls.host}/${REPOSITORY}:three`, env };
      expect((await pushBundle({ ...options, ca })).digest).toBe(pushed);
      await expect(pushBundle(options)).rejects.toMatchObject({ code: "BUNDLE_REGISTRY_TLS" });
      await expect(pull(tls.host, { ca: join(folder, "none.crt"), plainHttp: false })).rejects.toMatchObject({
        code: "BUNDLE_REGISTRY",
      });
    } finally {
      await tls.close();
    }
  });

  it("rejects an expired certificate", async () => {
    const { certificate, key } = await certificateOf(new Date("2020-01-01"), new Date("2021-01-01"));
    const tls = await startFaultyRegistry(registry.host, { key, cert: certificate });
    const ca = join(folder, "expired.crt");
    await writeFile(ca, certificate);
    const failure = pull(tls.host, { ca, plainHttp: false });
    await expect(failure).rejects.toMatchObject({ code: "BUNDLE_REGISTRY_TLS" });
    await expect(failure).rejects.toThrow("CERT_HAS_EXPIRED");
    await tls.close();
  });
});

describe("a reference", () => {
  it.each(["nothing", "UPPER.case/Name", "host.example/", "host.example/a@sha256:12", ""])(
    "is refused: %s",
    async (ref) => {
      await expect(pullBundle({ ref })).rejects.toMatchObject({ code: "BUNDLE_REFERENCE" });
    },
  );
});
