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
