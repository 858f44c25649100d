import { describe, expect, it } from "vitest";
import { refusalOf } from "../../../../../src/composition/gateway/start-gateway.ts";
import {
  decodeRecord,
  encodeRecord,
  type RecordedRevision,
} from "../../../../../src/composition/record/release-record.ts";
import { ringOf } from "../../../../../src/model/decision-annotation/key-ring.ts";

const key = ringOf(Buffer.alloc(32, 1));
const of = { namespace: "demo", release: "web-12345678" };
const revision: RecordedRevision = {
  ...{ secret: "sh.helm.release.v1.web-12345678.v1", revision: 1, status: "deployed", createdAt: 1, copy: "7" },
  labels: { name: of.release },
  release: { manifest: "kind: A" },
};

describe("1: a release record", () => {
  it("is read where its signature is valid for this namespace, release and content", async () => {
    const signed = await encodeRecord({ ...of, revisions: [revision] }, key);
    expect(await decodeRecord(of, signed, key)).toEqual({ ...of, revisions: [revision] });
    const forged = await encodeRecord({ ...of, revisions: [{ ...revision, release: { manifest: "kind: B" } }] }, null);
    expect(await decodeRecord(of, { ...signed, content: forged.content }, key)).toBeNull();
    expect(await decodeRecord({ ...of, namespace: "other" }, signed, key)).toBeNull();
    expect(await decodeRecord({ ...of, release: "other" }, signed, key)).toBeNull();
    expect(await decodeRecord(of, { ...signed, signature: "" }, key)).toBeNull();
    expect(await decodeRecord(of, signed, ringOf(Buffer.alloc(32, 2)))).toBeNull();
  });

  it("is null where its content is no record", async () => {
    const content = Buffer.from("x").toString("base64");
    expect(await decodeRecord(of, { content, signature: "" }, null)).toBeNull();
  });
});

describe("1: helm's requests", () => {
  const refusal = (method: string, path: string): string | null =>
    refusalOf(method, new URL(path, "http://gateway"), "demo");

  it.each([
    ["GET", "/version"],
    ["GET", "/apis/apps/v1"],
    ["GET", "/api/v1/namespaces/demo"],
    ["PATCH", "/apis/apps/v1/namespaces/demo/deployments/web"],
    ["DELETE", "/api/v1/namespaces/demo/configmaps/web?x=/namespaces/other"],
  ])("are passed on for the release's namespace: %s %s", (method, path) => {
    expect(refusal(method, path)).toBeNull();
  });

  it.each([
    ["GET", "/api/v1/namespaces/other/secrets/db"],
    ["PATCH", "/api/v1/namespaces/demo/../other/secrets/db"],
    ["PATCH", "/api/v1/namespaces/demo%2F..%2Fother/secrets/db"],
    ["PATCH", "/api/v1/namespaces/%2e%2e/namespaces/other/secrets/db"],
    ["DELETE", "/api/v1/namespaces/demo//secrets/db"],
    ["POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"],
    ["DELETE", "/api/v1/nodes/one"],
    ["POST", "/api/v1/namespaces"],
  ])("are refused for everything else: %s %s", (method, path) => {
    expect(refusal(method, path)).not.toBeNull();
  });
});
