import { generateKeyPairSync, sign } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Registry } from "../../../../../src/bundle/registry/open-registry.ts";
import { SIGSTORE_BUNDLE } from "../../../../../src/bundle/signature/find-signatures.ts";
import type { Trust } from "../../../../../src/bundle/signature/trust.ts";
import { verifyImage } from "../../../../../src/bundle/signature/verify-image.ts";
import { LandfallError } from "../../../../../src/errors.ts";
import { sha256Digest } from "../../../../../src/model/sha256.ts";

const MIB = 1024 * 1024;
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const { privateKey: foreign } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const trust: Trust = { mode: "required", keys: [publicKey], identities: [], root: null };
const digest = `sha256:${"a".repeat(64)}`;
const reference = { host: "registry.test", repository: "r", version: "latest" };
const parse = JSON.parse;
let parsedBytes = 0;

// Not a spy, which keeps all results.
beforeEach(() => {
  parsedBytes = 0;
  // What a verification rests is not tested here.
  vi.stubGlobal("setTimeout", setImmediate);
  JSON.parse = (text: string) => {
    parsedBytes += text.length;
    return parse(text) as unknown;
  };
});
afterEach(() => {
  JSON.parse = parse;
  vi.unstubAllGlobals();
});

/** A registry that serves these bodies; as the real client, it refuses what is larger than the limit. */
function registryOf(bodies: ReadonlyMap<string, Buffer>) {
  const asked: string[] = [];
  const get: Registry["get"] = (_, path, { limit }) => {
    asked.push(path);
    const body = bodies.get(path) ?? null;
    if (body === null || body.length <= limit) return Promise.resolve(body);
    return Promise.reject(new LandfallError("BUNDLE_LIMIT", { ref: path, detail: `larger than ${String(limit)}` }));
  };
  return { asked, registry: { get, close: () => Promise.resolve() } };
}

/** An entry as registries list it, with the annotations of cosign 3. */
const entryOf = (manifest: Buffer) => ({
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  size: manifest.length,
  digest: sha256Digest(manifest),
  annotations: {
    "dev.sigstore.bundle.content": "dsse-envelope",
    "dev.sigstore.bundle.predicateType": "https://sigstore.dev/cosign/sign/v1",
    "org.opencontainers.image.created": "2026-01-01T00:00:00Z",
  },
  artifactType: SIGSTORE_BUNDLE,
});

const listOf = (manifests: readonly Buffer[], times = 1): [string, Buffer] => {
  const entries = manifests.map(entryOf);
  const all = Array.from({ length: times }, () => entries).flat();
  return [`referrers/${digest}`, Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: all }))];
};

/** A manifest of lists in lists, each of them another one. */
const nested = (size: number, note = 0): Buffer =>
  Buffer.from(
    `{"note":"${String(note).padStart(6, "0")}","layers":[{"x":${"[".repeat(size / 2)}${"]".repeat(size / 2)}}]}`,
  );

function signature(key: typeof privateKey, note: string): Buffer {
  const statement = {
    ...{ _type: "https://in-toto.io/Statement/v1", predicateType: "https://sigstore.dev/cosign/sign/v1" },
    ...{ subject: [{ digest: { sha256: digest.slice(7) } }], predicate: { note } },
  };
  const [type, payload] = ["application/vnd.in-toto+json", Buffer.from(JSON.stringify(statement))];
  const head = `DSSEv1 ${String(type.length)} ${type} ${String(payload.length)} `;
  const sig = sign("sha256", Buffer.concat([Buffer.from(head), payload]), key).toString("base64");
  return Buffer.from(
    JSON.stringify({
      mediaType: SIGSTORE_BUNDLE,
      verificationMaterial: { publicKey: { hint: "" } },
      dsseEnvelope: { payload: payload.toString("base64"), payloadType: type, signatures: [{ sig }] },
    }),
  );
}

const manifestOf = (...blobs: Buffer[]): Buffer =>
  Buffer.from(
    JSON.stringify({
      layers: blobs.map((blob) => ({ mediaType: SIGSTORE_BUNDLE, digest: sha256Digest(blob), size: blob.length })),
    }),
  );

const served = (kind: string, bodies: readonly Buffer[]): [string, Buffer][] =>
  bodies.map((body) => [`${kind}/${sha256Digest(body)}`, body]);

describe("34: a registry's list of 1,024 referrers", () => {
  it("that all name one manifest of 4 MiB has it read once, and parsed never", async () => {
    const manifest = nested(4 * MIB - 100);
    const list = listOf([manifest], 1024);
    const { asked, registry } = registryOf(new Map([list, ...served("manifests", [manifest])]));
    await expect(verifyImage(registry, reference, digest, trust)).rejects.toMatchObject({ code: "BUNDLE_SIGNATURE" });
    expect(asked.filter((path) => path === `manifests/${sha256Digest(manifest)}`)).toHaveLength(1);
    expect(parsedBytes).toBeLessThan(MIB);
  });

  it("with different manifests of the largest size is given up after some MiB, and says so", async () => {
    const manifests = Array.from({ length: 1024 }, (_, index) => nested(60 * 1024, index));
    const { registry } = registryOf(new Map([listOf(manifests), ...served("manifests", manifests)]));
    const verified = verifyImage(registry, reference, digest, { ...trust, mode: "optional" });
    await expect(verified).rejects.toMatchObject({ code: "BUNDLE_SIGNATURE" });
    expect(parsedBytes).toBeLessThan(18 * MIB);
    const { registry: empty } = registryOf(new Map([listOf(manifests.map(() => manifestOf()))]));
    expect(await verifyImage(empty, reference, digest, { ...trust, mode: "optional" })).toEqual([]);
  });

  it("whose manifests share their layers has each layer read once", async () => {
    const blob = Buffer.from(JSON.stringify({ text: "x".repeat(50 * 1024) }));
    const manifests = Array.from({ length: 50 }, (_, index) =>
      Buffer.from(JSON.stringify({ index, ...(JSON.parse(manifestOf(blob, blob).toString()) as object) })),
    );
    const bodies = new Map([listOf(manifests), ...served("manifests", manifests), ...served("blobs", [blob])]);
    const { asked, registry } = registryOf(bodies);
    await expect(verifyImage(registry, reference, digest, trust)).rejects.toMatchObject({ code: "BUNDLE_SIGNATURE" });
    expect(asked.filter((path) => path.startsWith("blobs/"))).toHaveLength(1);
  });

  it("with layers of more than 64 KiB has none of them parsed", async () => {
    const blob = Buffer.from(`{"x":${"[".repeat(40 * 1024)}${"]".repeat(40 * 1024)}}`);
    const manifest = manifestOf(blob);
    const bodies = new Map([listOf([manifest]), ...served("manifests", [manifest]), ...served("blobs", [blob])]);
    const { registry } = registryOf(bodies);
    await expect(verifyImage(registry, reference, digest, trust)).rejects.toMatchObject({ code: "BUNDLE_SIGNATURE" });
    expect(parsedBytes).toBeLessThan(2000);
  });

  it("with the annotations of cosign still has its last signature found", async () => {
    const blobs = Array.from({ length: 1023 }, (_, index) => signature(foreign, String(index)));
    blobs.push(signature(privateKey, "good"));
    const manifests = blobs.map((blob) => manifestOf(blob));
    const bodies = new Map([listOf(manifests), ...served("manifests", manifests), ...served("blobs", blobs)]);
    expect(await verifyImage(registryOf(bodies).registry, reference, digest, trust)).toHaveLength(1);
  });
});
