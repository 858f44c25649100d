import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { sendRequest } from "../../support/send-request.ts";
import { issueAuthority, issueServer } from "../../../src/certificates/issue-certificate.ts";
import { apiPath } from "../../../src/cluster/api-path.ts";
import { applyObject } from "../../../src/local/control-plane/apply-object.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { localPaths } from "../../../src/local/processes/local-paths.ts";
import { waitUntil } from "../../../src/local/processes/wait-until.ts";

const cluster = inject("cluster");
const paths = localPaths(cluster.dir);
let admin: KubeClient;

beforeAll(async () => {
  admin = createClient(await loadKubeconfig(cluster.kubeconfig, {}));
});

afterAll(() => admin.close());

test("the API server is of the pinned minor version", async () => {
  const { body } = await sendRequest(admin, "/version");
  expect(body["gitVersion"]).toMatch(/^v1\.36\./);
});

test("the registry speaks the distribution API", async () => {
  expect((await fetch(`http://${cluster.registry}/v2/`)).status).toBe(200);
});

test.for([
  ["webhook", "/api/v1/namespaces", 200],
  ["webhook", "/api/v1/secrets", 403],
  ["composition", "/api/v1/secrets", 403],
  ["composition", "/api/v1/namespaces/landfall-system/secrets", 200],
  ["composition", "/apis/rbac.authorization.k8s.io/v1/clusterroles", 403],
  ["simulators", "/apis/core.krateo.io/v1alpha1/compositiondefinitions", 403],
] as const)("the client %s gets for %s the status %s", async ([client, path, status]) => {
  const api = createClient(await loadKubeconfig(paths.kubeconfigOf(client), {}));
  const answer = await sendRequest(api, path);
  await api.close();
  expect(answer.status).toBe(status);
});

test("rejects a client without a certificate", async () => {
  const server = /server: (\S+)/.exec(await readFile(cluster.kubeconfig, "utf8"))?.[1] ?? "";
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const answer = await request(`${server}/api/v1/namespaces`, { dispatcher });
  await answer.body.dump();
  await dispatcher.close();
  expect(answer.statusCode).toBe(401);
});

/** A webhook that lets everything through and notes who called: the common name of a trusted certificate, or null. */
async function startRecorder(clientCa: string): Promise<{ server: Server; callers: (string | null)[]; ca: string }> {
  const callers: (string | null)[] = [];
  const authority = await issueAuthority("recorder CA");
  const { certificate, key } = await issueServer(authority, "recorder", [{ type: "ip", value: "127.0.0.1" }]);
  const tls = { cert: certificate, key, ca: clientCa, requestCert: true, rejectUnauthorized: false };
  const server = createServer(tls, (incoming, response) => {
    const socket = incoming.socket as TLSSocket;
    callers.push(socket.authorized ? String(socket.getPeerCertificate().subject.CN) : null);
    void text(incoming).then((body) => {
      const { request: asked } = JSON.parse(body) as { request: { uid: string } };
      const answer = { uid: asked.uid, allowed: true };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, callers, ca: authority.certificate.toString("pem") };
}

test("the API server shows webhooks on this machine a client certificate that they can check", async () => {
  const recorder = await startRecorder(await readFile(cluster.webhookClientAuthority, "utf8"));
  const { port } = recorder.server.address() as AddressInfo;
  const caBundle = Buffer.from(recorder.ca).toString("base64");
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
  const webhook = {
    name: "recorder.landfall.dev",
    clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle },
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    rules: [rule],
    // Other files work on this control plane, too.
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "recorded" } },
  };
  await applyObject(admin, { apiVersion: "v1", kind: "Namespace", metadata: { name: "recorded" } });
  await applyObject(admin, {
    ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" },
    ...{ metadata: { name: "recorder.landfall.dev" }, webhooks: [webhook] },
  });
  await waitUntil({ what: "the recorder", seconds: 20, log: "" }, async () => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "probe-" } };
    const { status } = await sendRequest(admin, "/api/v1/namespaces/recorded/configmaps", {
      method: "POST",
      body,
    });
    return status === 201 && recorder.callers.length > 0;
  });
  await admin.remove(
    apiPath`/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/recorder.landfall.dev`,
  );
  recorder.server.close();
  recorder.server.closeAllConnections();
  expect(recorder.callers[0]).toBe("kube-apiserver");
});

test("rejects an object of an unknown kind with the kind's name", async () => {
  const object = { apiVersion: "nowhere.example/v1", kind: "Nothing", metadata: { name: "x" } };
  await expect(applyObject(admin, object)).rejects.toMatchObject({
    code: "LOCAL_APPLY",
    message: expect.stringContaining("it has no Nothing of nowhere.example/v1") as string,
  });
});
