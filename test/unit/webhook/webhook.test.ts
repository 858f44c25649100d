import { connect } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { reviewOf, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import { startWebhook } from "../../support/services/webhook-server.ts";

const webhook = await startWebhook(await loadPolicy());
const unready = await startWebhook(null);
afterAll(() => Promise.all([webhook.close(), unready.close()]));

const KIND = { group: "composition.krateo.io", version: "v0-1-0", kind: "VmTemplate" };

const review = (fields: Record<string, unknown> = {}): string =>
  reviewOf(vm({ cpu: 2, memory: 4 }), { uid: "u1", ...fields });

describe("the webhook over TLS", () => {
  it("answers a review with a base64 JSONPatch", async () => {
    const { status, body } = await webhook.post("/mutate", review());
    expect(status).toBe(200);
    const { response } = body as { response: { uid: string; allowed: boolean; patchType: string; patch: string } };
    expect(response).toMatchObject({ uid: "u1", allowed: true, patchType: "JSONPatch" });
    const patch = JSON.parse(Buffer.from(response.patch, "base64").toString()) as { path: string }[];
    expect(patch.map(({ path }) => path)).toContain("/spec/provider");
  });

  it("answers a denial with HTTP 200, a message and a code", async () => {
    const { status, body } = await webhook.post(
      "/mutate",
      review({ object: vm({ cpu: 2, memory: 4, duration: "banana" }) }),
    );
    expect(status).toBe(200);
    const message = '"banana" is not a valid duration; write 3h, 90m, 1d12h or PT3H, e.g. duration: 3h [ADM_DURATION]';
    const causes = [{ reason: "FieldValueInvalid", field: "spec.duration", message }];
    const details = { kind: "VmTemplate", name: "web", causes };
    expect(body).toMatchObject({ response: { allowed: false, status: { code: 422, reason: "Invalid", details } } });
    expect(JSON.stringify(body)).toContain("ADM_DURATION");
  });

  it("answers what the policy denies with the status 403, without causes", async () => {
    const { body } = await webhook.post("/mutate", review({ object: vm({ cpu: 2, memory: 1_000_000 }) }));
    expect(body).toMatchObject({ response: { allowed: false, status: { code: 403, reason: "Forbidden" } } });
    expect(JSON.stringify(body)).not.toContain("causes");
  });

  it("lets the guard deny an object without a decision", async () => {
    expect(JSON.stringify((await webhook.post("/validate", review())).body)).toContain("ADM_DECISION_FORGED");
  });

  it.each([
    ["no JSON", "{", 400, "ADM_NOT_A_REVIEW"],
    ["an empty body", "", 400, "ADM_NOT_A_REVIEW"],
    ["another JSON", "[1]", 400, "ADM_NOT_A_REVIEW"],
    ["null", "null", 400, "ADM_NOT_A_REVIEW"],
    ["another kind of object", JSON.stringify({ apiVersion: "v1", kind: "Pod" }), 400, "ADM_NOT_A_REVIEW"],
    [
      "an old review",
      JSON.stringify({ apiVersion: "admission.k8s.io/v1beta1", kind: "AdmissionReview", request: { uid: "1" } }),
      400,
      "ADM_NOT_A_REVIEW",
    ],
    [
      "a review without request",
      JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" }),
      400,
      "ADM_NOT_A_REVIEW",
    ],
    ["a body over the limit", `{"a":"${"x".repeat(7 * 1024 * 1024)}"}`, 413, "ADM_BODY_TOO_LARGE"],
    ["an unknown kind", review({ kind: { ...KIND, kind: "Pod" } }), 200, "ADM_UNKNOWN_KIND"],
    ["a kind of another group", review({ kind: { ...KIND, group: "apps" } }), 200, "ADM_UNKNOWN_KIND"],
    ["no kind", review({ kind: null }), 200, "ADM_UNKNOWN_KIND"],
    ["an unknown version", review({ kind: { ...KIND, version: "v2" } }), 200, "ADM_UNKNOWN_VERSION"],
    ["no object", review({ object: null }), 200, "ADM_NOT_A_REVIEW"],
    ["an object without metadata", review({ object: { spec: {} } }), 200, "ADM_NOT_A_REVIEW"],
    ["a spec that is a list", review({ object: { ...vm({}), spec: [] } }), 200, "ADM_SCHEMA"],
    [
      "annotations that are a list",
      review({ object: { ...vm({ cpu: 1, memory: 1 }), metadata: { name: "a", annotations: [1] } } }),
      200,
      "response",
    ],
    ["an update without an old object", review({ operation: "UPDATE" }), 200, "ADM_NOT_A_REVIEW"],
  ])("answers %s and stays up", async (_name, body, status, code) => {
    const answer = await webhook.post("/mutate", body);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(code);
    expect((await webhook.get("/healthz")).status).toBe(200);
  });

  it("allows deletions and connections", async () => {
    const { body } = await webhook.post("/mutate", review({ operation: "DELETE", object: null }));
    expect(body).toMatchObject({ response: { uid: "u1", allowed: true } });
  });

  it("accepts only the API server's certificate", async () => {
    const { status, body } = await webhook.post("/mutate", review(), false);
    expect(status).toBe(403);
    expect(body).toMatchObject({
      ...{ apiVersion: "v1", kind: "Status", status: "Failure", code: 403, reason: "Forbidden" },
      message: expect.stringContaining("[ADM_CLIENT_CERTIFICATE]") as string,
    });
  });

  it("rejects versions older than TLS 1.3", async () => {
    const { hostname: host, port } = new URL(webhook.url);
    const socket = connect({ host, port: Number(port), maxVersion: "TLSv1.2", rejectUnauthorized: false });
    const error = await new Promise<Error>((resolve) => socket.once("error", resolve));
    expect(error.message).toMatch(/protocol version|alert/i);
  });

  it("logs the decision, and nothing of the object's content", async () => {
    await webhook.post("/mutate", review({ object: vm({ cpu: 2, memory: 4, userData: "top-secret-token" }) }));
    expect(webhook.log()).toContain('"msg":"admission"');
    expect(webhook.log()).not.toContain("top-secret-token");
  });

  it("is alive but not ready without a policy, and denies with a code", async () => {
    expect((await unready.get("/healthz")).status).toBe(200);
    expect((await unready.get("/readyz")).status).toBe(503);
    expect(JSON.stringify((await unready.post("/mutate", review())).body)).toContain("BUNDLE_NONE");
    expect((await webhook.get("/readyz")).status).toBe(200);
  });

  it("decides a KaasCluster too", async () => {
    const object = { ...vm({ nodePools: [{ name: "a", cpu: 2, memory: 8, count: 3 }] }), kind: "KaasCluster" };
    const { body } = await webhook.post("/mutate", review({ kind: { ...KIND, kind: "KaasCluster" }, object }));
    const { response } = body as { response: { allowed: boolean; patch: string } };
    const patch = JSON.parse(Buffer.from(response.patch, "base64").toString()) as { path: string }[];
    expect(patch.map(({ path }) => path).filter((path) => path.startsWith("/spec"))).toEqual([
      "/spec/kubernetesVersion",
      "/spec/poolInstanceTypes",
      "/spec/provider",
      "/spec/schedulingLocation",
      "/spec/schedulingTime",
      "/spec/zones",
    ]);
  });
});
