import { expect, it } from "vitest";
import type { Readiness } from "../../../../src/composition/status/provider/state.ts";
import { readiness } from "../../../../src/composition/status/readiness.ts";

/** Of the error's text in ASO's versions before June 2025: Azure/azure-service-operator, issue 2573. */
const DUMP = `PUT https://management.azure.com/subscriptions/6f1c1e5e-6f0b-4a53-9a5c-0e6d3b9a1c11/resourceGroups/web-rg
${"-".repeat(80)}
RESPONSE 409: 409 Conflict
ERROR CODE: SkuNotAvailable
${"-".repeat(80)}
{
  "error": {
    "code": "SkuNotAvailable",
    "message": "The size \\"D2\\" is not available."
  }
}
${"-".repeat(80)}
`;

function stateOf(reason: string, message: string, severity: string): Readiness {
  const conditions = [{ type: "Ready", status: "False", severity, reason, message }];
  const apiVersion = "compute.azure.com/v1api20220301";
  return readiness({ apiVersion, kind: "Any", metadata: { name: "a", generation: 1 }, status: { conditions } });
}

it.each([
  ["behind the message", `The size "D2" is not available.: ${DUMP}`],
  ["alone", DUMP],
])("omits the HTTP request of older versions of Azure's operator, which names the subscription: %s", (_, message) => {
  const state = stateOf("SkuNotAvailable", message, "Error");
  expect(state).toMatchObject({ reason: "SkuNotAvailable", message: 'The size "D2" is not available.' });
});

it("knows that Azure lets a disabled subscription change nothing", () => {
  const message = "The subscription 's' is disabled and therefore marked as read only.";
  expect(stateOf("ReadOnlyDisabledSubscription", message, "Warning")).toMatchObject({ terminal: true, message });
});

/** Of the text of a login that fails: `AuthenticationFailedError` in Azure/azure-sdk-for-go, sdk/azidentity/errors.go. */
const login = (said: string, attempt: string): string => `ClientSecretCredential authentication failed. ${said}
POST https://login.microsoftonline.com/6f1c1e5e-6f0b-4a53-9a5c-0e6d3b9a1c11/oauth2/v2.0/token
${"-".repeat(80)}
RESPONSE 401: 401 Unauthorized
${"-".repeat(80)}
{
  "error": "invalid_client",
  "error_description": "AADSTS7000222: The provided client secret keys for app 'a' are expired. Trace ID: ${attempt} Correlation ID: ${attempt} Timestamp: 2026-11-23 09:00:0${attempt}Z",
  "error_codes": [
    7000222
  ],
  "trace_id": "${attempt}"
}
${"-".repeat(80)}
To troubleshoot, visit https://aka.ms/azsdk/go/identity/troubleshoot#client-secret`;

it.each([
  ["the answer", ""],
  ["its own words", "AADSTS7000222: The provided client secret keys for app 'a' are expired.\\r\\nTrace ID: 1"],
])("reads the error of the operator's login in %s, without what differs with each attempt", (_, words) => {
  const expected = { reason: "AADSTS7000222", message: "The provided client secret keys for app 'a' are expired." };
  for (const attempt of ["1", "2"]) {
    const state = stateOf("Failed", login(words, attempt), "Warning");
    expect(state).toMatchObject({ ...expected, terminal: true, settles: true });
  }
});

it.each([
  ["AADSTS700016", true],
  ["AADSTS7000215", true],
  ["AADSTS70021", true],
  ["AADSTS700213", true],
  ["AADSTS90033", false],
])("knows which errors of a login stay: %s, %s", (code, terminal) => {
  const state = stateOf("Failed", `WorkloadIdentityCredential: ${code}: no. Trace ID: 1`, "Warning");
  expect(state).toMatchObject({ reason: code, message: "no.", terminal });
});

it("omits the request of a login without such a code", () => {
  const text = login("no", "1").replaceAll("AADSTS7000222: ", "");
  expect(stateOf("Failed", text, "Warning").message).toBe("ClientSecretCredential authentication failed. no");
});

it.each([
  [
    "for resource 'Following SKUs have failed for Capacity Restrictions: Standard_B2s' is currently not available",
    true,
  ],
  ["'Standard_B2s' is not available in location 'x'", false],
])("tells a size without machines now from one that is not sold: The requested VM size %s", (words, capacity) => {
  const message = `The requested VM size ${words}.`;
  expect(stateOf("SkuNotAvailable", message, "Warning")).toMatchObject({ capacity, terminal: !capacity });
  // The operator has given up.
  expect(stateOf("SkuNotAvailable", message, "Error")).toMatchObject({ capacity: false, terminal: true });
});

it("takes each limit of a kind of resource as capacity", () => {
  for (const code of ["StaticPublicIPCountLimitReached", "NetworkInterfaceCountLimitReached"]) {
    expect(stateOf(code, "no", "Warning")).toMatchObject({ capacity: true, terminal: false });
  }
});

it("knows a system disk that never holds its image, which the operator tries again and again", () => {
  const message =
    "The specified disk size 10 GB is smaller than the size of the corresponding disk in the VM image: 30 GB.";
  const state = stateOf("OperationNotAllowed", message, "Warning");
  expect(state).toMatchObject({ terminal: true, retrying: false, reason: "OperationNotAllowed" });
});
