import { describe, expect, it } from "vitest";
import { readiness } from "../../../src/composition/status/readiness.ts";
import { ack } from "../../../src/local/simulators/ack/ack.ts";
import { EC2, EKS, IAM } from "../../../src/local/simulators/ack/ack-kinds.ts";
import { conditionText } from "../../../src/local/simulators/ack/ack-errors.ts";
import type { RefusalKind, Resource } from "../../../src/local/simulators/types.ts";

type Kind = readonly [group: string, kind: string];

const resource = ([group, kind]: Kind): Resource => ({
  ...{ apiVersion: `${group}/v1alpha1`, kind },
  metadata: { name: "web", namespace: "demo", uid: "1", generation: 1 },
  spec: { imageID: "ami-0", instanceType: "m7i.large" },
});

/** What Landfall makes of the simulator's conditions. */
function read(kind: Kind, refusal: ReturnType<typeof ack.refusal>) {
  const subject = resource(kind);
  const conditions = ack.conditions({ name: "refused", refusal }, subject);
  return { conditions, ...readiness({ ...subject, status: { conditions } }) };
}

describe("an error at AWS, as ACK's controllers write it", () => {
  it.each<[Kind, RefusalKind, terminal: boolean, text: string]>([
    [[EC2, "Instance"], "quota-exceeded", false, "api error VcpuLimitExceeded: You have requested"],
    [[EC2, "Instance"], "bad-image", false, "api error InvalidAMIID.NotFound: The image id '[ami-0]' does not exist"],
    [[EC2, "Instance"], "not-offered", false, "api error Unsupported: "],
    [[EC2, "Instance"], "missing-field", false, "api error MissingParameter: "],
    [[EC2, "Subnet"], "missing-field", false, "api error MissingParameter: "],
    [[EC2, "NATGateway"], "missing-field", true, "api error MissingParameter: "],
    [[EC2, "Subnet"], "immutable", true, "Immutable Spec fields have been modified: x"],
    [
      [EKS, "Nodegroup"],
      "not-offered",
      true,
      "InvalidParameterException: The following supplied instance types do not exist: [x]",
    ],
    [[EKS, "Nodegroup"], "quota-exceeded", false, "ResourceLimitExceededException: "],
    [[EKS, "Nodegroup"], "missing-field", true, "InvalidParameterException: "],
    [[EKS, "Cluster"], "missing-field", false, "InvalidParameterException: "],
    [[EKS, "Cluster"], "immutable", true, "Immutable Spec fields have been modified: x"],
    [[IAM, "Role"], "missing-field", false, "api error ValidationError: "],
  ])("%s: %s", (kind, cause, terminal, text) => {
    const refusal = ack.refusal(cause, resource(kind), "x");
    const { conditions } = read(kind, refusal);
    const said = conditions.find(({ type }) => type === (terminal ? "ACK.Terminal" : "ACK.Recoverable"));
    expect(refusal.terminal).toBe(terminal);
    expect(said?.["message"]).toMatch(new RegExp(`^${text.replace(/[[\]().]/g, "\\$&")}`));
    // Ready repeats it, and only ResourceSynced has the SDK's whole text, with an id that is new each time.
    const [synced, ready] = ["ACK.ResourceSynced", "Ready"].map((one) => conditions.find(({ type }) => type === one));
    expect(ready).toMatchObject({ status: "False", message: said?.["message"], reason: said?.["type"] });
    expect(synced).toMatchObject(
      terminal
        ? { status: "False", reason: "resource is in terminal condition" }
        : { status: "Unknown", reason: expect.stringContaining("RequestID: ") as string },
    );
  });

  it("of IAM has the words api error only where the SDK has no type for it", () => {
    const role = resource([IAM, "Role"]);
    expect(conditionText(role, { code: "EntityAlreadyExists", message: "m" })).toBe("EntityAlreadyExists: m");
    expect(conditionText(role, { code: "AccessDenied", message: "m" })).toBe("api error AccessDenied: m");
  });

  it.each<[Kind, RefusalKind, string, object]>([
    [[EC2, "Instance"], "quota-exceeded", "VcpuLimitExceeded", { capacity: true }],
    [[EC2, "Instance"], "bad-image", "InvalidAMIID.NotFound", { terminal: true }],
    [[EC2, "Instance"], "not-offered", "Unsupported", { terminal: true }],
    [[EKS, "Nodegroup"], "not-offered", "InvalidParameterException", { terminal: true }],
    [[EKS, "Nodegroup"], "quota-exceeded", "ResourceLimitExceededException", { capacity: true }],
    [[EKS, "Cluster"], "missing-field", "InvalidParameterException", { terminal: true }],
  ])("is read by Landfall: %s, %s: %s", (kind, cause, code, expected) => {
    const state = read(kind, ack.refusal(cause, resource(kind), "x"));
    expect(state).toMatchObject({ ready: false, reason: code, ...expected });
    expect(state.message).not.toContain(code);
    expect(state.message).not.toContain("RequestID");
  });
});
