import { describe, expect, it } from "vitest";
import { readiness } from "../../../../src/composition/status/readiness.ts";

/** What a condition of Config Connector with this text says. */
function stateOf(message: string, reason = "UpdateFailed") {
  const conditions = [{ type: "Ready", status: "False", reason, message }];
  return readiness({
    apiVersion: "container.cnrm.cloud.google.com/v1beta1",
    kind: "ContainerNodePool",
    metadata: { name: "a" },
    status: { conditions },
  });
}

const UPDATE = "Update call failed: error applying desired state: summary: ";

describe("an error that ends without a change", () => {
  it.each([
    "googleapi: Error 400: Operation operation-1 is currently upgrading cluster c. Please wait and try again once it is done., failedPrecondition",
    "googleapi: Error 400: Operation operation-1 is currently deleting a node pool for cluster c. Please wait and try again once it is done., failedPrecondition",
    "googleapi: Error 400: Cluster is running incompatible operation operation-1., failedPrecondition",
    'googleapi: Error 400: Cluster is running incompatible operation operation-1.\nDetails:\n[\n  {\n    "requestId": "0x1"\n  }\n]\n, failedPrecondition',
  ])("of a busy cluster is retried: %s", (text) => {
    expect(stateOf(UPDATE + text)).toMatchObject({ reason: "FailedPrecondition", retrying: true, terminal: false });
  });

  it.each([
    "Invalid fingerprint.",
    "Supplied fingerprint does not match current metadata fingerprint.",
    "Labels fingerprint either invalid or resource labels have changed",
  ])("of something that changed in the meantime is retried: %s", (text) => {
    expect(stateOf(`${UPDATE}googleapi: Error 412: ${text}, conditionNotMet`)).toMatchObject({
      ...{ reason: "ConditionNotMet", message: text, retrying: true, terminal: false },
    });
  });

  it.each([
    [
      "412: Constraint constraints/compute.vmExternalIpAccess violated for project p., conditionNotMet",
      "ConditionNotMet",
    ],
    ["400: Node pool p cannot be changed while the cluster has no nodes., failedPrecondition", "FailedPrecondition"],
    ["400: Operation x is currently of no use here., badRequest", "BadRequest"],
  ])("is told from one with the same code that stays: %s", (text, reason) => {
    expect(stateOf(`${UPDATE}googleapi: Error ${text}`)).toMatchObject({ reason, terminal: true });
  });
});

it("is final where the Terraform provider does not take a combination of fields", () => {
  const text =
    "Error creating scheduling: Can not set MaxRunDuration on instance with STOP InstanceTerminationAction, it is not supported by terraform.";
  expect(stateOf(UPDATE + text)).toMatchObject({ reason: "NotSupported", terminal: true, message: text });
});

describe("the text of an error", () => {
  const withId = (id: string) =>
    `${UPDATE}googleapi: Error 400: Node pool is too large.\nDetails:\n[\n  {\n    "@type": "type.googleapis.com/google.rpc.RequestInfo",\n    "requestId": "${id}"\n  }\n]\n, badRequest`;

  it("has nothing that differs with each request", () => {
    expect(stateOf(withId("0x156"))).toMatchObject({ reason: "BadRequest", message: "Node pool is too large." });
    expect(stateOf(withId("0x156"))).toEqual(stateOf(withId("0x9ab")));
    const quota = (id: string) =>
      withId(id).replace("400: Node pool is too large.", "403: Insufficient regional quota to satisfy request.");
    expect(stateOf(quota("0x1"))).toMatchObject({ reason: "QuotaExceeded", capacity: true });
    expect(stateOf(quota("0x1"))).toEqual(stateOf(quota("0x2")));
    // Cut by the operator, or without a code.
    expect(stateOf(withId("0x1").replace("\n]\n, badRequest", "")).message).toBe(
      "googleapi: Error 400: Node pool is too large.",
    );
  });

  it("has the first code of several errors", () => {
    const text = `${UPDATE}googleapi: Error 400: Two things are wrong.\nMore details:\nReason: invalid, Message: a\nReason: required, Message: b\n`;
    expect(stateOf(text)).toMatchObject({ reason: "Invalid", message: "Two things are wrong.", terminal: true });
  });

  it.each([
    ["UpdateFailed", `${UPDATE}googleapi: Error 403: no right, forbidden, detail: `, "Forbidden", "no right"],
    [
      "DeleteFailed",
      "Delete call failed: error deleting resource: summary: googleapi: Error 400: in use, resourceInUseByAnotherResource, detail:",
      "ResourceInUseByAnotherResource",
      "in use",
    ],
    [
      "DeleteFailed",
      "Delete call failed: error fetching live state: error reading underlying resource: summary: googleapi: Error 503: later, backendError",
      "BackendError",
      "later",
    ],
  ])("has no frame and no empty detail: %s %#", (condition, message, reason, words) => {
    expect(stateOf(message, condition)).toMatchObject({ reason, message: words });
  });
});

it("takes a login that Google refuses as terminal once it lasts", () => {
  const text = `${UPDATE}Get "https://compute.googleapis.com/": Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).`;
  expect(stateOf(text)).toMatchObject({ reason: "Forbidden", terminal: true, settles: true });
});
