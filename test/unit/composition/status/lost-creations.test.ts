import { expect, it } from "vitest";
import { creationErrors } from "../../../../src/composition/status/lost-creations.ts";
import type { Found } from "../../../../src/composition/status/retry-times.ts";
import { summariseReadiness } from "../../../../src/composition/status/summarise-readiness.ts";

const apiVersion = "ec2.services.k8s.aws/v1alpha1";
const NOW = 1_795_000_000;

function one(kind: string, said: string, status: Record<string, unknown> = {}): Found {
  const conditions = [{ type: "ACK.Recoverable", status: "True", message: `api error ${said}` }];
  return {
    apiVersion,
    kind,
    name: "web",
    live: { apiVersion, kind, metadata: { uid: "u" }, status: { ...status, conditions } },
  };
}

/** What Ready says of the last of these looks. */
function after(...looks: Found[]): string {
  let times: ReadonlyMap<string, number> = new Map();
  for (const found of looks) times = creationErrors([found], times, NOW);
  return summariseReadiness(looks.slice(-1), NOW, times).message;
}

it.each([
  ["VPC", "VpcLimitExceeded", "ec2:ModifyVpcAttribute"],
  ["InternetGateway", "InternetGatewayLimitExceeded", "ec2:AttachInternetGateway"],
  ["RouteTable", "RouteTableLimitExceeded", "ec2:CreateRoute"],
])("a quota of a %s without an id may be used up by ACK itself", (kind, code, right) => {
  const full = one(kind, `${code}: The maximum has been reached.`);
  const said = after(full);
  expect(said).toContain(`${code}: The maximum has been reached; ACK may have used up the quota itself`);
  expect(said).toContain(`another ${kind} each time`);
  expect(said).toContain(`the right ${right}. Correct that`);
  expect(after(one(kind, "UnauthorizedOperation: No."), full, full)).toContain(
    "It failed before with UnauthorizedOperation: No.",
  );
});

it("another quota, and one of a resource that is there, say nothing of it", () => {
  expect(after(one("VPC", "VpcLimitExceeded: Full.", { vpcID: "vpc-1" }))).not.toContain("itself");
  expect(after(one("Subnet", "SubnetLimitExceeded: Full."))).not.toContain("itself");
});
