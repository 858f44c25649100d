import { generateKeyPairSync, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IMAGE_LAYER, IMAGE_MANIFEST } from "../../../src/bundle/media-types.ts";
import { fetchVerified } from "../../../src/bundle/fetch-verified.ts";
import type { Registry } from "../../../src/bundle/registry/open-registry.ts";
import { registryFailure } from "../../../src/bundle/registry/registry-failure.ts";
import { SIGN_PREDICATE } from "../../../src/bundle/signature/check-signature.ts";
import { SIGSTORE_BUNDLE } from "../../../src/bundle/signature/find-signatures.ts";
import { signBundleFiles } from "../../../src/bundle/signature/sign-bundle-files.ts";
import type { Trust } from "../../../src/bundle/signature/trust.ts";
import { verifyFiles } from "../../../src/bundle/signature/verify-files.ts";
import { explainFailure } from "../../../src/composition/helm/explain-failure.ts";
import { readConflict } from "../../../src/composition/helm/read-conflict.ts";
import { parseManifest } from "../../../src/composition/helm/parse-manifest.ts";
import { decodeRelease, encodeRelease } from "../../../src/composition/helm/stored-release.ts";
import { decodeRecord, encodeRecord, type RecordedRevision } from "../../../src/composition/record/release-record.ts";
import { LandfallError } from "../../../src/errors.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";
import { readRelease, writeRelease } from "../../../src/model/bundle-format/bundle-release.ts";
import { readTar, writeTar } from "../../../src/model/bundle-format/tar.ts";
import { canonicalJson, isObject } from "../../../src/model/json.ts";
import { sha256Digest } from "../../../src/model/sha256.ts";
import { loadBundle } from "../../../src/policy/load-bundle.ts";
import { readBundle } from "../../../src/policy/read-bundle.ts";
import { readOther } from "../../../src/policy/read-other.ts";
import { fuzz } from "../../support/fuzz.ts";
import { policyFile } from "../../support/load-policy.ts";
import { anyText, damaged, mutated } from "../../support/mutate.ts";
import { carbonImage } from "../../support/bundles/other-bundles.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const trust: Trust = { mode: "required", keys: [publicKey], identities: [], root: null };

/** The answer of something that may refuse its input, but only with a code. */
async function coded<T>(work: () => T | Promise<T>): Promise<T | LandfallError> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof LandfallError) return thrown;
    throw thrown;
  }
}

const small = writeTar(
  new Map([
    ["/.manifest", Buffer.from(`{"revision":"r","roots":["landfall"],"metadata":{"entrypoint":"x"}}`)],
    ["/data.json", Buffer.from(`{"landfall":{"catalog":{}}}`)],
    ["/policy.wasm", Buffer.from("\0asm")],
  ]),
);
const signed = signBundleFiles(writeRelease(small, { version: 3 }), privateKey);

describe("fuzzing bundles", () => {
  const original = readTar(signed);

  const read = async (bytes: Uint8Array): Promise<void> => {
    for (const reader of [readRelease, readBundle, readOther]) await coded(() => reader(bytes, "ref"));
    const verified = await coded(() => verifyFiles({ bytes, ref: "ref", signed: false }, trust));
    if (!Array.isArray(verified)) return;
    // What passes has only files that were signed, each as it was.
    for (const [name, body] of readTar(bytes))
      if (name !== ".signatures.json") expect(body.equals(original.get(name) ?? Buffer.alloc(0)), name).toBe(true);
  };

  it("with damaged bytes, packed and unpacked, refuses them with a code and accepts nothing that was not signed", async () => {
    const { gunzipSync, gzipSync } = await import("node:zlib");
    await fuzz("bundles (gzip)", damaged(signed), read);
    await fuzz("bundles (tar)", damaged(gunzipSync(signed)), (tar) => read(gzipSync(tar, { level: 1 })));
  });

  it("with changed manifests and data refuses them with a code", async () => {
    const files = readTar(signed);
    const image = readTar(carbonImage(10));
    const parts = [files, image].flatMap((all) =>
      [".manifest", "data.json", ".signatures.json"].flatMap((name) => {
        const body = all.get(name);
        return body === undefined ? [] : [{ all, name, value: JSON.parse(body.toString()) as unknown }];
      }),
    );
    await fuzz("bundles (values)", mutated(parts.map(({ value }, index) => ({ value, index }))), async (changed) => {
      const { value, index } = isObject(changed) ? changed : {};
      const part = (typeof index === "number" ? parts[index] : undefined) ?? parts[0];
      if (part === undefined) return;
      const tar = new Map([...part.all, [part.name, Buffer.from(JSON.stringify(value ?? null))]]);
      await read(writeTar(new Map([...tar].map(([name, body]) => [`/${name}`, body])), 1));
    });
  });

  it("with changed settings loads them, or refuses them with a code", async () => {
    const bytes = await readFile(await policyFile());
    const parts = readBundle(bytes, "ref");
    const { compiled } = await loadBundle(bytes, "ref", { parts });
    const root = isObject(parts.data["landfall"]) ? parts.data["landfall"] : {};
    let cases = 0;
    await fuzz("settings", mutated([root["settings"]]), async (settings) => {
      // A case takes some 10 ms: a fifth of them is enough.
      cases += 1;
      if (cases % 5 !== 0) return;
      const data = { ...parts.data, landfall: { ...root, settings } };
      await coded(() => loadBundle(bytes, "ref", { parts: { ...parts, data }, compiled }));
    });
    expect(cases).toBeGreaterThan(100);
  });
});

describe("fuzzing release Secrets", () => {
  const key = ringOf(Buffer.alloc(32, 1));
  const of = { namespace: "demo", release: "web-12345678" };
  const revision: RecordedRevision = {
    ...{ secret: "sh.helm.release.v1.web-12345678.v1", revision: 1, status: "deployed", createdAt: 1, copy: "7" },
    labels: { name: of.release },
    release: { manifest: "kind: A", config: { cpu: 2 }, info: { status: "deployed" } },
  };
  const record = { ...of, revisions: [revision] };

  it("accepts no record that was not signed as it is", async () => {
    const { content, signature } = await encodeRecord(record, key);
    const either = fc.oneof(
      damaged(Buffer.from(content)).map((bytes) => ({ content: bytes.toString("latin1"), signature })),
      damaged(Buffer.from(signature)).map((bytes) => ({ content, signature: bytes.toString("latin1") })),
      fc.record({ content: fc.string(), signature: fc.string() }),
    );
    await fuzz("signed records", either, async (stored) => {
      const found = await decodeRecord(of, stored, key);
      if (found !== null) expect(canonicalJson(found)).toBe(canonicalJson(record));
    });
  });

  it("reads any record without a crash where there is no key", async () => {
    await fuzz("unsigned records", mutated([{ revisions: [revision] }]), async (value) => {
      const { content } = await encodeRecord(
        { ...of, revisions: (value as typeof record | null)?.revisions ?? [] },
        null,
      );
      const found = await decodeRecord(of, { content, signature: "" }, null);
      for (const one of found?.revisions ?? []) expect(Number.isSafeInteger(one.revision)).toBe(true);
    });
  });

  it("reads a copy, or rejects it, and parses its manifest", async () => {
    const copy = await encodeRelease({ ...revision.release, name: "web", version: 1 });
    const isRejected = (): null => null;
    await fuzz("copies", damaged(Buffer.from(copy)), async (bytes) => {
      const release = await decodeRelease(bytes.toString("latin1")).catch(isRejected);
      if (release !== null) expect(isObject(release)).toBe(true);
    });
  });
});

describe("fuzzing answers of a registry", () => {
  const reference = { host: "registry", repository: "policies", version: "latest" };

  const manifestOf = (layer: Buffer, mediaType: string): Buffer =>
    Buffer.from(
      JSON.stringify({
        ...{ schemaVersion: 2, mediaType: IMAGE_MANIFEST },
        layers: [{ mediaType, digest: sha256Digest(layer), size: layer.length }],
      }),
    );

  function statementFor(digest: string): unknown {
    const payload = Buffer.from(
      JSON.stringify({
        ...{ _type: "https://in-toto.io/Statement/v1", predicateType: SIGN_PREDICATE, predicate: {} },
        subject: [{ digest: { sha256: digest.slice(7) }, annotations: {} }],
      }),
    );
    const type = "application/vnd.in-toto+json";
    const head = `DSSEv1 ${String(type.length)} ${type} ${String(payload.length)} `;
    const signature = sign("sha256", Buffer.concat([Buffer.from(head), payload]), privateKey).toString("base64");
    return {
      mediaType: SIGSTORE_BUNDLE,
      verificationMaterial: { publicKey: { hint: "aGludA==" } },
      dsseEnvelope: { payload: payload.toString("base64"), payloadType: type, signatures: [{ sig: signature }] },
    };
  }

  const good = manifestOf(signed, IMAGE_LAYER);
  const statement = statementFor(sha256Digest(good));

  /** A registry whose owner can serve anything, with digests that fit. */
  function registryOf(
    manifest: Buffer,
    layer: Buffer,
    signature: Buffer,
    change: (path: string) => Buffer | null,
  ): Registry {
    const referrer = manifestOf(signature, SIGSTORE_BUNDLE);
    const index = { manifests: [{ mediaType: IMAGE_MANIFEST, digest: sha256Digest(referrer), size: referrer.length }] };
    const bodies = new Map([
      [`manifests/${sha256Digest(manifest)}`, manifest],
      [`manifests/${sha256Digest(referrer)}`, referrer],
      [`referrers/${sha256Digest(manifest)}`, Buffer.from(JSON.stringify(index))],
      [`blobs/${sha256Digest(layer)}`, layer],
      [`blobs/${sha256Digest(signature)}`, signature],
    ]);
    return {
      get: (_, path) => Promise.resolve(change(path) ?? bodies.get(path) ?? null),
      close: () => Promise.resolve(),
    };
  }

  const unchanged = (): null => null;
  const fetched = (registry: Registry, manifest: Buffer) =>
    coded(() => fetchVerified(registry, reference, sha256Digest(manifest), trust));

  it("is fetched where nothing is changed", async () => {
    const answer = await fetched(registryOf(good, signed, Buffer.from(JSON.stringify(statement)), unchanged), good);
    expect(answer).toMatchObject({ signers: [expect.stringContaining("key"), expect.stringContaining("key")] });
  });

  it("with changed signatures never makes another image a signed one", async () => {
    const evil = Buffer.from(writeRelease(signed, { version: 99 }));
    const manifest = manifestOf(evil, IMAGE_LAYER);
    await fuzz("signatures", mutated([statement]), async (value) => {
      const registry = registryOf(manifest, evil, Buffer.from(JSON.stringify(value ?? null)), unchanged);
      expect(await fetched(registry, manifest)).toBeInstanceOf(LandfallError);
    });
  });

  it("with damaged answers is refused with a code, or is the signed bundle", async () => {
    const signature = Buffer.from(JSON.stringify(statement));
    const paths = ["manifests/", "referrers/", "blobs/"];
    const cases = fc.tuple(
      fc.constantFrom(...paths),
      fc.oneof(damaged(good), damaged(signature), damaged(signed)),
      fc.nat(3),
    );
    await fuzz("answers", cases, async ([prefix, body, skip]) => {
      let seen = 0;
      const change = (path: string): Buffer | null => (path.startsWith(prefix) && seen++ >= skip ? body : null);
      const answer = await fetched(registryOf(good, signed, signature, change), good);
      if (!(answer instanceof LandfallError)) expect(answer.bytes.equals(signed)).toBe(true);
    });
  });

  it("with any status, header and body becomes an error with a code", async () => {
    const refusals = fc.record({
      statusCode: fc.integer({ min: 100, max: 999 }),
      headers: fc.dictionary(fc.constantFrom("retry-after", "www-authenticate", "x"), fc.string()),
    });
    await fuzz("refusals", fc.tuple(refusals, anyText(10)), ([refusal, text]) => {
      const { code, params } = registryFailure("ref", refusal, text);
      expect(code).toMatch(/^BUNDLE_REGISTRY/);
      if (code === "BUNDLE_REGISTRY_BUSY") expect(Number(params["seconds"])).toBeGreaterThanOrEqual(0);
    });
  });
});

describe("fuzzing helm's output", () => {
  const errors = [
    `Error: INSTALLATION FAILED: execution error at (vmtemplate/templates/validate.yaml:3:4): cpu is missing`,
    `Error: Unable to continue with install: Network "a" in namespace "demo" exists and cannot be imported into the current release: invalid ownership metadata; annotation validation error: key "meta.helm.sh/release-name" must equal "web": current value is "other"`,
    `level=WARN msg="x"\nError: UPGRADE FAILED: values don't meet the specifications of the schema(s) in the following chart(s): vmtemplate: - at '/cpu'`,
  ];
  const manifests = [
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: &x\n  a: b\n---\nkind: B\nmetadata: {}\nspec: *x\n",
    "kind: A\nmetadata: {name: a}\na: &a [1, 2]\nb: [*a, *a, *a]\nc: !!binary aGVsbG8=\nd: !!set {x}\n<<: {e: f}\n",
  ];
  const anyOf = (texts: readonly string[]): fc.Arbitrary<string> =>
    fc.oneof(...texts.map((text) => damaged(Buffer.from(text)).map((bytes) => bytes.toString("utf8"))), fc.string());

  it("becomes an error with a code and a text of limited length", async () => {
    await fuzz("helm's errors", anyOf(errors), (stderr) => {
      const failure = explainFailure({ action: "install", release: "web", chart: "vmtemplate", stderr });
      expect(failure.code).toMatch(/^REL_(HELM|RENDER)$/);
      expect(String(failure.params["detail"]).length).toBeLessThanOrEqual(1000);
      const taken = readConflict(stderr, "web", "demo");
      if (taken !== null) expect(taken.kind).toMatch(/^[A-Za-z0-9]+$/);
    });
  });

  it("is parsed as manifests, or refused with a code", async () => {
    await fuzz("helm's manifests", anyOf(manifests), async (yaml) => {
      const parsed = await coded(() => parseManifest(yaml));
      if (!(parsed instanceof LandfallError)) for (const { kind } of parsed) expect(typeof kind).toBe("string");
    });
  });

  it("does not expand aliases without a limit", async () => {
    const laughs = Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? "a0: &a0 [x, x]"
        : `a${String(level)}: &a${String(level)} [${Array(9)
            .fill(`*a${String(level - 1)}`)
            .join(", ")}]`,
    );
    const yaml = `kind: A\nmetadata: {}\n${laughs.join("\n")}\n`;
    expect(await coded(() => parseManifest(yaml))).toBeInstanceOf(LandfallError);
  });
});
