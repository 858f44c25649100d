import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { LandfallError, messageOf } from "../../../src/errors.ts";
import { refuseReview } from "../../../webhook/review/answer-review.ts";
import { scanReview } from "../../../webhook/review/scan-review.ts";
import { receiveBody } from "../../../webhook/serving/receive-body.ts";
import { makeServingCertificate } from "../../../webhook/certificates/serving-certificate.ts";
import { vm } from "../../support/admission.ts";

const run = promisify(execFile);
const { kubeconfig } = inject("cluster");
let base: string;
let kubectl: string;
let webhook: { server: Server; ca: string; url: string };
let asked = 0;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-large-"));
  kubectl = await toolPath("kubectl");
  await call("create", "namespace", "large");
  const { ca, cert, key } = await makeServingCertificate(["127.0.0.1"]);
  const server = createServer({ cert, key }, (incoming, outgoing) => {
    void receiveBody(incoming).then(({ text }) => outgoing.end(answer(scanReview(text).uid ?? "")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  webhook = { server, ca, url: `https://127.0.0.1:${String(port)}` };
});

/** Refuses the first two reviews as a webhook does whose process restarts. */
function answer(uid: string): string {
  asked += 1;
  if (asked < 3) return refuseReview(uid, new LandfallError("ADM_RESTARTING")).body;
  const response = { uid, allowed: true };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });
}

afterAll(async () => {
  await call("delete", "validatingwebhookconfiguration", "busy.landfall.dev", "--ignore-not-found");
  webhook.server.close();
  webhook.server.closeAllConnections();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

/** What kubectl printed, whether it was a success or not. */
async function call(...args: string[]): Promise<string> {
  const options = { maxBuffer: 64 * 1024 * 1024 };
  return run(kubectl, ["--kubeconfig", kubeconfig, ...args], options).then(({ stdout }) => stdout, messageOf);
}

async function create(name: string, spec: object, ...args: string[]): Promise<string> {
  const file = join(base, `${name}.json`);
  await writeFile(file, JSON.stringify(vm({ cpu: 2, memory: 4, ...spec }, { name, namespace: "large" })));
  return call("create", "-f", file, ...args);
}

/** As `create`, but kubectl sends the file as it is. */
async function createRaw(spec: object): Promise<string> {
  const file = join(base, "raw.json");
  const object = vm({ cpu: 2, memory: 4, ...spec }, { name: "raw", namespace: "large" });
  await writeFile(file, JSON.stringify(object));
  return call("create", "--raw", `/apis/${object.apiVersion}/namespaces/large/vmtemplates`, "-f", file);
}

describe("2: objects of 3 MB on the API server", () => {
  it("are denied with a code, three times in a row, and the next object is decided as before", async () => {
    const disks = Array.from({ length: 950_000 }, () => ({}));
    for (const name of ["a", "b", "c"])
      expect(await create(name, { disks }, "--dry-run=server", "--validate=false")).toContain("ADM_OBJECT_TOO_LARGE");
    // The API server writes `<` with six characters.
    expect(await createRaw({ image: "<".repeat(2_900_000) })).toContain("ADM_BODY_TOO_LARGE");
    expect(await create("g", { disks: disks.slice(0, 9000) }, "--validate=false")).toContain("ADM_SCHEMA");
    expect(await create("h", {}, "--dry-run=server")).toContain("created");
  });
});

describe("2: a retryable refusal on the API server", () => {
  it("is repeated by kubectl until it is allowed", async () => {
    const configuration = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "busy.landfall.dev" },
      webhooks: [
        {
          name: "busy.landfall.dev",
          clientConfig: { url: `${webhook.url}/validate`, caBundle: Buffer.from(webhook.ca).toString("base64") },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "large" } },
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
        },
      ],
    };
    const file = join(base, "webhook.json");
    await writeFile(file, JSON.stringify(configuration));
    expect(await call("create", "-f", file)).toContain("created");
    // The API server learns of the webhook a moment later.
    await expect.poll(() => createConfigMap("probe"), { timeout: 30_000, interval: 500 }).toBe(true);
    expect(asked).toBe(3);
  });
});

/** Creates a ConfigMap; whether the webhook was asked three times for it, and it was created. */
async function createConfigMap(name: string): Promise<boolean> {
  const before = asked;
  const began = Date.now();
  const text = await call("-n", "large", "create", "configmap", `${name}-${String(began)}`);
  if (asked === before) return false;
  expect(text).toContain("created");
  // Two refusals with two seconds to wait each.
  expect(Date.now() - began).toBeGreaterThan(3500);
  return true;
}
