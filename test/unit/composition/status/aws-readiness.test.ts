import { describe, expect, it } from "vitest";
import { readiness } from "../../../../src/composition/status/readiness.ts";

type Said = readonly [type: string, status: string, message?: string];

const cluster = (...said: readonly Said[]) => ({
  ...{ apiVersion: "eks.services.k8s.aws/v1alpha1", kind: "Cluster", metadata: { name: "web" } },
  status: { status: "ACTIVE", conditions: said.map(([type, status, message]) => ({ type, status, message })) },
});

const SYNCED = ["ACK.ResourceSynced", "True"] as const;
const NOT_READY = ["Ready", "False", "m"] as const;

describe("an update of Auto Mode, which EKS refuses to a cluster without it", () => {
  it.each([
    "InvalidParameterException: The type for cluster update was not provided.",
    "InvalidRequestException: Cannot modify EKS Auto Mode configuration. Auto Mode is not enabled on this cluster.",
    "failed to update AutoMode config: InvalidRequestException: No changes needed for EKS Auto Mode configuration provided",
  ])("is the operator's own fault, with what to write: %s", (message) => {
    const {
      reason,
      terminal,
      message: said,
    } = readiness(cluster(SYNCED, ["ACK.Recoverable", "True", message], NOT_READY));
    expect({ reason, terminal }).toEqual({ reason: "OperatorFault", terminal: true });
    expect(said).toContain("Write into the spec of the Cluster exactly what `aws eks describe-cluster` shows");
  });
});

describe("a resource that ACK calls synced next to an error", () => {
  it.each([
    ["AccessDeniedException: no", "terminal"],
    ["ThrottlingException: Rate exceeded", "retrying"],
    ["a text without a code", "retrying"],
  ] as const)("of a runtime without Ready is not ready: %s", (message, state) => {
    const said = readiness(cluster(SYNCED, ["ACK.Recoverable", "True", message]));
    expect(said).toMatchObject({ ready: false, [state]: true });
  });

  it("is ready where the error is over, or was ACK's own progress", () => {
    expect(readiness(cluster(SYNCED, ["ACK.Recoverable", "False"])).ready).toBe(true);
    const progress = "requeuing until all fields are updated";
    expect(readiness(cluster(SYNCED, ["ACK.Recoverable", "True", progress])).ready).toBe(true);
  });
});
