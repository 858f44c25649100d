import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { findSignatures, SIGSTORE_BUNDLE } from "../../../../../src/bundle/signature/find-signatures.ts";
import type { Trust } from "../../../../../src/bundle/signature/trust.ts";
import { verifyImage } from "../../../../../src/bundle/signature/verify-image.ts";
import type { Registry } from "../../../../../src/bundle/registry/open-registry.ts";
import { isBelowUrl } from "../../../../../src/elemento/operator/open-accounts.ts";
import { LandfallError } from "../../../../../src/errors.ts";
import { inputsHash, sameInputs } from "../../../../../src/model/decision-annotation/still-holds.ts";
import { sha256Digest } from "../../../../../src/model/sha256.ts";
import { reviewOf, vm } from "../../../../support/admission.ts";
import { startWebhook } from "../../../../support/services/webhook-server.ts";

describe("18: the API server's certificate", () => {
  it.each([
    ["of the named client", "kube-apiserver", 200],
    ["of another client of the same CA", "kube-scheduler", 403],
  ])("%s is answered accordingly", async (_name, clientName, status) => {
    const webhook = await startWebhook(null, { clientName });
    expect((await webhook.post("/mutate", reviewOf(vm({ cpu: 1, memory: 1 })))).status).toBe(status);
    await webhook.close();
  });

  it("is missed, with the same answer, in a caller without any certificate", async () => {
    const webhook = await startWebhook(null, { clientName: "kube-apiserver" });
    const { status, body } = await webhook.post("/mutate", reviewOf(vm({ cpu: 1, memory: 1 })), false);
    expect(status).toBe(403);
    expect(body).toMatchObject({
      kind: "Status",
      message: expect.stringContaining("[ADM_CLIENT_CERTIFICATE]") as string,
    });
    await webhook.close();
  });
});

describe("18: /status and /metrics", () => {
  it("answer callers with the token only if one is set; health answers everyone", async () => {
    const webhook = await startWebhook(null, { statusToken: "s3cret" });
    for (const path of ["/status", "/metrics"]) {
      expect((await webhook.get(path)).status).toBe(401);
      expect((await webhook.get(path, "other")).status).toBe(401);
      expect((await webhook.get(path, "s3cret")).status).toBe(200);
    }
    expect((await webhook.get("/healthz")).status).toBe(200);
    await webhook.close();
  });

  it("answer only this machine without a token", async () => {
    const webhook = await startWebhook(null);
    for (const path of ["/status", "/metrics"]) {
      expect((await webhook.get(path)).status).toBe(200);
      expect(await webhook.statusFrom(path, "10.1.2.3")).toBe(403);
      expect(await webhook.statusFrom(path, "::1")).toBe(200);
    }
    expect(await webhook.statusFrom("/healthz", "10.1.2.3")).toBe(200);
    await webhook.close();
  });
});

describe("18: --allowed-urls", () => {
  const base = "https://elemento.example:8443/api";
  it.each([base, `${base}/`, `${base}/v1/x`, "HTTPS://elemento.example:8443/api", `${base}/a/../b`])(
    "has %s",
    (url) => {
      expect(isBelowUrl(url, base)).toBe(true);
    },
  );

  it.each([
    "https://elemento.example:8443/apiary",
    "https://elemento.example:8443/",
    `${base}/../other`,
    "http://elemento.example:8443/api",
    "https://elemento.example/api",
    "https://elemento.example:8443.attacker.test/api",
    "https://elemento.example:8443@attacker.test/api",
    "https://user@elemento.example:8443/api",
    "not a URL",
  ])("has not %s", (url) => {
    expect(isBelowUrl(url, base)).toBe(false);
  });
});

describe("18: the inputs of a decision", () => {
  const hash = inputsHash(vm({ cpu: 2, memory: 4 }), []);

  it("are a whole SHA-256", () => {
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(sameInputs(hash, { inputs: hash })).toBe(true);
    expect(sameInputs(hash, { inputs: `${hash.slice(0, 63)}x` })).toBe(false);
  });

  it("of decisions of version 0.1.0 still count", () => {
    expect(sameInputs(hash, { inputs: hash.slice(0, 16) })).toBe(true);
    for (const inputs of ["", hash.slice(0, 15), hash.slice(0, 17), hash.slice(1, 17)])
      expect(sameInputs(hash, { inputs })).toBe(false);
  });
});

describe("18: a referrer that is broken", () => {
  const bundle = Buffer.from("{}");
  const layer = { mediaType: SIGSTORE_BUNDLE, digest: sha256Digest(bundle), size: bundle.length };
  const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, config: layer, layers: [layer] }));
  const good = { mediaType: "application/vnd.oci.image.manifest.v1+json", digest: sha256Digest(manifest), size: 9 };
  const bad = { ...good, digest: `sha256:${"b".repeat(64)}` };
  const reference = { host: "registry.test", repository: "r", version: "latest" };

  const registry = (thrown: Error, first: unknown = bad, old: unknown = null): Registry =>
    ({
      get: (_reference: unknown, path: string) => {
        if (path.startsWith("referrers/"))
          return Promise.resolve(Buffer.from(JSON.stringify({ manifests: [first, good] })));
        if (path.endsWith(".sig") && old !== null) return Promise.resolve(Buffer.from(JSON.stringify(old)));
        if (path.endsWith(bad.digest)) return Promise.reject(thrown);
        if (path.endsWith(good.digest)) return Promise.resolve(path.startsWith("blobs/") ? bundle : manifest);
        return Promise.resolve(path.startsWith("blobs/") ? bundle : null);
      },
    }) as unknown as Registry;

  it("does not hide the good ones", async () => {
    const tampered = new LandfallError("BUNDLE_TAMPERED", { ref: "r", detail: "another digest" });
    const found = await Array.fromAsync(findSignatures(registry(tampered), reference, `sha256:${"a".repeat(64)}`));
    expect(found.map(({ kind }) => kind)).toEqual(["unreadable", "bundle"]);
  });

  const missing = new LandfallError("BUNDLE_REGISTRY", { ref: "r", detail: "HTTP 404 BLOB_UNKNOWN" });
  const kindsIn = async (from: Registry): Promise<string[]> =>
    (await Array.fromAsync(findSignatures(from, reference, `sha256:${"a".repeat(64)}`))).map(({ kind }) => kind);

  it("does not hide the good ones if a part of it is missing", async () => {
    expect(await kindsIn(registry(missing))).toEqual(["unreadable", "bundle"]);
  });

  it.each([[{ ...bad, digest: `sha512:${"b".repeat(128)}` }], [{ ...bad, size: -1 }], [null]])(
    "does not hide the good ones with the entry %j in the list",
    async (entry) => {
      expect(await kindsIn(registry(missing, entry))).toEqual(["bundle"]);
    },
  );

  it("does not hide the good ones as a signature of cosign 2", async () => {
    const annotations = { "dev.cosignproject.cosign/signature": "AAAA" };
    const simple = { ...bad, mediaType: "application/vnd.dev.cosign.simplesigning.v1+json", annotations };
    for (const layers of [[simple], [{ ...simple, size: 1e9 }], [null], null])
      expect(await kindsIn(registry(missing, good, { layers }))).toEqual(["unreadable", "bundle"]);
  });

  it("is not confused with a registry that does not answer", async () => {
    const away = new LandfallError("BUNDLE_REGISTRY_BUSY", { ref: "r", seconds: 1 });
    await expect(
      Array.fromAsync(findSignatures(registry(away), reference, `sha256:${"a".repeat(64)}`)),
    ).rejects.toMatchObject({
      code: "BUNDLE_REGISTRY_BUSY",
    });
  });
});

describe("18: many referrers that others added", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const { privateKey: foreign } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const trust: Trust = { mode: "required", keys: [publicKey], identities: [], root: null };
  const digest = `sha256:${"a".repeat(64)}`;

  /** As cosign 3 signs with a key. */
  function signature(key: KeyObject, note: string): Buffer {
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

  function registryOf(bundles: Buffer[]): { registry: Registry; reads: () => number } {
    const content = new Map<string, Buffer>();
    const entries = bundles.map((bundle) => {
      const layer = { mediaType: SIGSTORE_BUNDLE, digest: sha256Digest(bundle), size: bundle.length };
      const manifest = Buffer.from(JSON.stringify({ layers: [layer] }));
      content.set(layer.digest, bundle).set(sha256Digest(manifest), manifest);
      return { mediaType: "x", digest: sha256Digest(manifest), size: 1, artifactType: SIGSTORE_BUNDLE };
    });
    let reads = 0;
    const get = (_reference: unknown, path: string): Promise<Buffer | null> => {
      if (path.startsWith("referrers/")) return Promise.resolve(Buffer.from(JSON.stringify({ manifests: entries })));
      reads += 1;
      return Promise.resolve(content.get(path.split("/")[1] ?? "") ?? null);
    };
    return { registry: { get, close: () => Promise.resolve() }, reads: () => reads };
  }

  const others = Array.from({ length: 300 }, (_, index) => signature(foreign, String(index)));
  const reference = { host: "registry.test", repository: "r", version: "latest" };

  it("do not hide the good one behind them", async () => {
    const { registry } = registryOf([...others, signature(privateKey, "good")]);
    expect(await verifyImage(registry, reference, digest, trust)).toHaveLength(1);
  });

  it("are not read all where the good one is among the first", async () => {
    const { registry, reads } = registryOf([signature(privateKey, "good"), ...others]);
    expect(await verifyImage(registry, reference, digest, trust)).toHaveLength(1);
    expect(reads()).toBeLessThan(80);
  });

  it("are refused with few words where none is good", async () => {
    const { registry } = registryOf(others);
    await expect(verifyImage(registry, reference, digest, trust)).rejects.toMatchObject({ code: "BUNDLE_SIGNATURE" });
  });
});
