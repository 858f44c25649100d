import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../../../../src/composition/status/provider/error-classes.ts";
import { API_CODES, HTTP_CODES } from "../../../../src/elemento/api/inferred.ts";
import { deletionState, readiness } from "../../../../src/composition/status/readiness.ts";
import type { Resource } from "../../../../src/composition/types.ts";

const AZURE = "compute.azure.com/v1api20220301";
const AWS = "ec2.services.k8s.aws/v1alpha1";
const GOOGLE = "compute.cnrm.cloud.google.com/v1beta1";
const ELEMENTO = "elemento.landfall.dev/v1alpha1";

type Conditions = Record<string, unknown>[];

function resource(apiVersion: string, conditions: Conditions | null, more: Record<string, unknown> = {}): Resource {
  const status = conditions ? { conditions, ...more } : undefined;
  return { apiVersion, kind: "Any", metadata: { name: "a", generation: 2 }, ...(status ? { status } : {}) };
}

const verdict = (apiVersion: string, conditions: Conditions | null, more?: Record<string, unknown>) => {
  const { ready, terminal, capacity, retrying, reason } = readiness(resource(apiVersion, conditions, more));
  const states = { ready, terminal, capacity, retrying, waiting: true };
  return [Object.entries(states).find(([, is]) => is)?.[0], reason];
};

const ready = (status: string, reason = "", message = "", more: object = {}) => [
  { type: "Ready", status, reason, message, ...more },
];
const ack = (states: Record<string, string>, message = "") =>
  Object.entries(states).map(([type, status]) => ({ type, status, message }));

const sdk = (action: string, code: string, text: string): string =>
  `operation error EC2: ${action}, https response error StatusCode: 400, RequestID: 0b1e-4f, api error ${code}: ${text}`;

describe("readiness of Azure resources", () => {
  it.each<[string, Conditions | null, string, string]>([
    ["no condition yet", null, "waiting", "Pending"],
    ["Succeeded", ready("True", "Succeeded", "", { observedGeneration: 2 }), "ready", "Ready"],
    [
      "Succeeded, but for an older generation",
      ready("True", "Succeeded", "", { observedGeneration: 1 }),
      "waiting",
      "Pending",
    ],
    ["Reconciling", ready("False", "Reconciling", "", { severity: "Info" }), "waiting", "Reconciling"],
    ["WaitingForOwner", ready("False", "WaitingForOwner", "", { severity: "Warning" }), "retrying", "WaitingForOwner"],
    [
      "QuotaExceeded, given up",
      ready("False", "QuotaExceeded", "no cores", { severity: "Error" }),
      "terminal",
      "QuotaExceeded",
    ],
  ])("%s", (_, conditions, state, reason) => {
    expect(verdict(AZURE, conditions)).toEqual([state, reason]);
  });
});

describe("readiness of AWS resources", () => {
  const synced = "ACK.ResourceSynced";
  it.each<[string, Conditions | null, string, string]>([
    ["no condition yet", null, "waiting", "Pending"],
    ["synced, older runtime", ack({ [synced]: "True" }), "ready", "Ready"],
    ["synced and Ready", ack({ [synced]: "True", Ready: "True" }), "ready", "Ready"],
    ["synced, but not Ready", ack({ [synced]: "True", Ready: "False" }), "waiting", "Creating"],
    ["Unknown is not ready", ack({ [synced]: "Unknown" }), "waiting", "Creating"],
    [
      "references open",
      ack({ "ACK.ReferencesResolved": "Unknown", [synced]: "Unknown" }),
      "waiting",
      "WaitingForReferences",
    ],
    [
      "recoverable",
      ack(
        { [synced]: "Unknown", "ACK.Recoverable": "True" },
        "api error InvalidGroup.NotFound: The group does not exist",
      ),
      "retrying",
      "InvalidGroup.NotFound",
    ],
    [
      "an image that does not exist, which ACK tries again",
      ack({ "ACK.Recoverable": "True" }, sdk("RunInstances", "InvalidAMIID.NotFound", "The image id does not exist")),
      "terminal",
      "InvalidAMIID.NotFound",
    ],
    [
      "a quota",
      ack({ "ACK.Recoverable": "True" }, sdk("RunInstances", "VcpuLimitExceeded", "You have requested more")),
      "capacity",
      "VcpuLimitExceeded",
    ],
    [
      "too many rules in a security group, which fewer ports correct",
      ack(
        { "ACK.Recoverable": "True" },
        sdk("AuthorizeSecurityGroupIngress", "RulesPerSecurityGroupLimitExceeded", "The maximum number of rules"),
      ),
      "terminal",
      "RulesPerSecurityGroupLimitExceeded",
    ],
    [
      "a quota that the table does not have",
      ack({ "ACK.Recoverable": "True" }, sdk("RunInstances", "PlacementGroupLimitExceeded", "You have reached")),
      "capacity",
      "PlacementGroupLimitExceeded",
    ],
    [
      "no capacity",
      ack({ "ACK.Recoverable": "True" }, sdk("RunInstances", "InsufficientInstanceCapacity", "We do not have")),
      "capacity",
      "InsufficientInstanceCapacity",
    ],
    [
      "ACK's own progress, which uses the condition of errors",
      ack({ [synced]: "False", "ACK.Recoverable": "True" }, "requeuing until state is running or stopped"),
      "waiting",
      "Creating",
    ],
    [
      "terminal, with AWS's code",
      ack({ [synced]: "False", "ACK.Terminal": "True" }, "InstanceLimitExceeded: You have requested more"),
      "terminal",
      "InstanceLimitExceeded",
    ],
    ["terminal, without a code", ack({ "ACK.Terminal": "True" }, "it is so"), "terminal", "Terminal"],
    ["a terminal error that is over", ack({ [synced]: "True", "ACK.Terminal": "False" }), "ready", "Ready"],
  ])("%s", (_, conditions, state, reason) => {
    expect(verdict(AWS, conditions)).toEqual([state, reason]);
  });
});

describe("what ACK says", () => {
  const of = (conditions: Conditions) => readiness(resource(AWS, conditions));

  it("gives an error's code once, and nothing that changes with each attempt", () => {
    const message = sdk("CreateVpc", "VpcLimitExceeded", "The maximum number of VPCs has been reached.");
    expect(of(ack({ "ACK.Recoverable": "True" }, message))).toMatchObject({
      reason: "VpcLimitExceeded",
      message: "The maximum number of VPCs has been reached.",
    });
    const bare = of(ack({ "ACK.Recoverable": "True" }, "it failed, RequestID: 0b1e-4f"));
    expect(bare).toMatchObject({ reason: "Recoverable", message: "it failed" });
    const denied = (blob: string) =>
      of(
        ack(
          { "ACK.Recoverable": "True" },
          sdk(
            "RunInstances",
            "UnauthorizedOperation",
            `You are not authorized to perform this operation. Encoded authorization failure message: ${blob}`,
          ),
        ),
      );
    expect(denied("aB3-x_9".repeat(90))).toEqual(denied("Zz-7"));
    expect(denied("Zz-7").message).toBe("You are not authorized to perform this operation");
  });

  it("names the resource that it waits for", () => {
    const reason = "the referenced resource is not synced yet. resource:VPC, namespace:demo, name:web-vpc";
    expect(of([{ type: "ACK.ReferencesResolved", status: "Unknown", reason }])).toMatchObject({
      ...{ ready: false, retrying: false, reason: "WaitingForReferences", message: "VPC web-vpc is not ready" },
      waitsFor: { kind: "VPC", name: "web-vpc" },
    });
  });

  it.each([
    'subnets.ec2.services.k8s.aws "web-subnet" not found',
    "both resource reference wrapper and ID cannot be used together: SubnetID,SubnetRef",
  ])("says why a reference cannot be resolved: %s", (reason) => {
    const message = "Reference resolution failed";
    expect(of([{ type: "ACK.ReferencesResolved", status: "Unknown", reason, message }])).toMatchObject({
      ...{ ready: false, terminal: false, reason: "WaitingForReferences", message: reason },
    });
    expect(of([{ type: "ACK.ReferencesResolved", status: "Unknown", message }])).toMatchObject({ message });
  });

  it("explains a deletion that is blocked, while its other conditions stay True", () => {
    const conditions = [
      ...ack({ "ACK.ResourceSynced": "True", Ready: "True" }),
      ...ack({ "ACK.Recoverable": "True" }, sdk("DeleteVpc", "DependencyViolation", "The vpc has dependencies")),
    ];
    const deleted = resource(AWS, conditions);
    deleted.metadata.deletionTimestamp = "2026-11-22T10:00:00Z";
    expect(deletionState(deleted)).toMatchObject({
      reason: "DependencyViolation",
      message: "The vpc has dependencies",
    });
  });
});

describe("the table of errors", () => {
  it("has each code of a provider once", () => {
    for (const classes of Object.values(ERROR_CODES)) {
      const codes = Object.values(classes).flat();
      expect(new Set(codes).size).toBe(codes.length);
    }
  });

  it.each([
    ["aws", "aws"],
    ["azure", "azure"],
    ["gcp", "google-cloud"],
    ["elemento", "elemento"],
  ] as const)("of %s is on the page of the provider", async (provider, page) => {
    const text = await readFile(`docs/operations/providers/${page}.md`, "utf8");
    const codes = Object.values(ERROR_CODES[provider]).flat();
    expect(codes.filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
  });

  it("has the capacity errors of Elemento that the operator knows", () => {
    const known = Object.entries(API_CODES).filter(([, code]) => code === "ELEMENTO_CAPACITY");
    const own = [...known.map(([word]) => word), "http507"].sort();
    expect(ERROR_CODES.elemento.capacity.map((code) => code.toLowerCase()).sort()).toEqual(own);
    expect(HTTP_CODES[507]).toBe("ELEMENTO_CAPACITY");
    expect(verdict(ELEMENTO, ready("False", "NotAllocable", "full", { severity: "Warning" }))).toEqual([
      "capacity",
      "NotAllocable",
    ]);
    expect(verdict(ELEMENTO, ready("False", "Busy", "later", { severity: "Warning" }))).toEqual(["retrying", "Busy"]);
  });

  it.each([
    [
      "IAM",
      "operation error IAM: CreateRole, https response error StatusCode: 409, RequestID: 27-7, EntityAlreadyExists: Role with name x",
      "terminal",
      "EntityAlreadyExists",
    ],
    [
      "EKS",
      "operation error EKS: CreateCluster, https response error StatusCode: 400, RequestID: 27-7, ResourceLimitExceededException: no more",
      "capacity",
      "ResourceLimitExceededException",
    ],
  ])("finds the code of %s, whose errors have types of their own in AWS's SDK", (_service, message, state, reason) => {
    const condition: Conditions = [{ type: "ACK.Recoverable", status: "True", message }];
    expect(verdict(AWS, condition)).toEqual([state, reason]);
  });

  it.each([
    [
      "The zone 'projects/p/zones/z' does not have enough resources available to fulfill the request.",
      "ZONE_RESOURCE_POOL_EXHAUSTED",
    ],
    ["does not have enough resources available to fulfill request: us-a", "ZONE_RESOURCE_POOL_EXHAUSTED"],
    ["Error waiting for creating GKE NodePool: Current errors: [GCE_STOCKOUT]: no", "GCE_STOCKOUT"],
    ["googleapi: Error 403: QUOTA_EXCEEDED - Quota exceeded., rateLimitExceeded", "QUOTA_EXCEEDED"],
    [
      'googleapi: Error 400: BAD REQUEST: errors:{code:"IP_SPACE_EXHAUSTED_WITH_DETAILS" message:"IP space of \'projects/p/regions/r/subnetworks/s\' is exhausted."}',
      "IP_SPACE_EXHAUSTED_WITH_DETAILS",
    ],
    [
      "Error waiting for creating GKE NodePool: requested resource is exhausted: Not all instances running in IGM after 24s. Expected 1, running 0, transitioning 1. Current errors: [IP_SPACE_EXHAUSTED]: Instance 'a' creation failed: IP space of 's' is exhausted.",
      "IP_SPACE_EXHAUSTED",
    ],
  ])("finds want of capacity in %s", (message, reason) => {
    expect(verdict(GOOGLE, ready("False", "UpdateFailed", message))).toEqual(["capacity", reason]);
  });

  it.each([
    ["InvalidInstanceType.NotFound", "terminal"],
    ["InvalidInstanceType", "terminal"],
    ["InvalidSubnetID.Malformed", "terminal"],
    ["InvalidRouteTableID.Malformed", "terminal"],
    ["AuthFailure.ServiceLinkedRoleCreationNotPermitted", "terminal"],
    ["ServiceLinkedRoleCreationNotPermitted", "terminal"],
    ["MaxSpotInstanceCountExceeded", "capacity"],
    ["UnfulfillableCapacity", "capacity"],
    ["SpotMaxPriceTooLow", "capacity"],
    ["RequestExpired", "retrying"],
    ["InvalidSecurityGroupID.NotFound", "retrying"],
  ])("knows %s of EC2, in either form of ACK's text: %s", (code, state) => {
    for (const message of [sdk("RunInstances", code, "no"), `api error ${code}: no`]) {
      expect(verdict(AWS, [{ type: "ACK.Recoverable", status: "True", message }])).toEqual([state, code]);
    }
  });

  it.each([
    ["Operation could not be completed as it results in exceeding approved Total Regional Cores quota.", "capacity"],
    ["Operation results in exceeding quota limits of Core. Maximum allowed: 4, Current in use: 4.", "capacity"],
    ["Cannot resize disk web_data while it is attached to running VM web.", "retrying"],
    ["The size of the cache exceeds what a machine of this size has.", "retrying"],
  ])("tells Azure's OperationNotAllowed apart: %s", (message, state) => {
    const condition = (severity: string) => ready("False", "OperationNotAllowed", message, { severity });
    expect(verdict(AZURE, condition("Warning"))).toEqual([state, "OperationNotAllowed"]);
    expect(verdict(AZURE, condition("Error"))).toEqual(["terminal", "OperationNotAllowed"]);
  });

  it.each(["InsufficientVCPUQuota", "ErrCode_InsufficientVCPUQuota"])("reads AKS's %s as capacity", (code) => {
    const message =
      "Insufficient vcpu quota requested 8, remaining 2 for family standardDASv5Family for region italynorth.";
    expect(verdict(AZURE, ready("False", code, message, { severity: "Warning" }))).toEqual(["capacity", code]);
  });

  it("leaves what the operator gave up as it is", () => {
    const condition = ready("False", "TooManyRequests", "later", { severity: "Error" });
    expect(verdict(AZURE, condition)).toEqual(["terminal", "TooManyRequests"]);
    expect(verdict(AZURE, ready("False", "AllocationFailed", "full", { severity: "Warning" }))).toEqual([
      "capacity",
      "AllocationFailed",
    ]);
  });
});

describe("readiness of EKS's node groups, whose nodes are made after the call", () => {
  const EKS = "eks.services.k8s.aws/v1alpha1";
  const creating = ack({ "ACK.ResourceSynced": "False", Ready: "False" });
  const issues = (code: string, message: string) => ({ health: { issues: [{ code, message, resourceIDs: ["i-1"] }] } });
  const launch = "Could not launch On-Demand Instances. VcpuLimitExceeded - You have requested more vCPU capacity.";

  it.each<[string, object, string, string]>([
    ["no issue", { status: "CREATING" }, "waiting", "Creating"],
    ["an empty list", { status: "CREATING", health: { issues: [] } }, "waiting", "Creating"],
    [
      "EC2's code in it",
      { status: "CREATING", ...issues("AsgInstanceLaunchFailures", launch) },
      "capacity",
      "VcpuLimitExceeded",
    ],
    [
      "a code of its own",
      { status: "CREATING", ...issues("InsufficientFreeAddresses", "full") },
      "capacity",
      "InsufficientFreeAddresses",
    ],
    [
      "a code that nobody knows",
      { status: "DEGRADED", ...issues("NodeCreationFailure", "no join") },
      "retrying",
      "NodeCreationFailure",
    ],
    [
      "a state that is final",
      { status: "CREATE_FAILED", ...issues("AsgInstanceLaunchFailures", launch) },
      "terminal",
      "VcpuLimitExceeded",
    ],
    ["a final state alone", { status: "CREATE_FAILED" }, "terminal", "CREATE_FAILED"],
    ["a state that says that it is not well", { status: "DEGRADED", health: { issues: [] } }, "retrying", "DEGRADED"],
  ])("with %s", (_what, status, state, reason) => {
    expect(verdict(EKS, creating, status as Record<string, unknown>)).toEqual([state, reason]);
  });

  it("are ready in spite of an issue if ACK says so, and others have none", () => {
    const synced = ack({ "ACK.ResourceSynced": "True", Ready: "True" });
    expect(verdict(EKS, synced, issues("NodeCreationFailure", "no join"))).toEqual(["ready", "Ready"]);
    expect(verdict(AWS, creating, issues("NodeCreationFailure", "no join"))).toEqual(["waiting", "Creating"]);
  });
});

describe("readiness of Google resources", () => {
  const failed = "Update call failed: error applying desired state: summary: ";
  it.each<[string, Conditions | null, string, string]>([
    ["no condition yet", null, "waiting", "Pending"],
    ["UpToDate", ready("True", "UpToDate"), "ready", "Ready"],
    ["Creating", ready("False", "Creating"), "waiting", "Creating"],
    ["DependencyNotReady", ready("False", "DependencyNotReady"), "waiting", "DependencyNotReady"],
    ["DependencyInvalid", ready("False", "DependencyInvalid"), "terminal", "DependencyInvalid"],
    ["ManagementConflict", ready("False", "ManagementConflict"), "terminal", "ManagementConflict"],
    [
      "a fault of the API",
      ready("False", "UpdateFailed", `${failed}googleapi: Error 503: try later`),
      "retrying",
      "UpdateFailed",
    ],
    [
      "a quota",
      ready(
        "False",
        "UpdateFailed",
        `${failed}googleapi: Error 403: Quota 'CPUS' exceeded in region europe-west1., quotaExceeded`,
      ),
      "capacity",
      "QuotaExceeded",
    ],
    [
      "a quota that an operation meets after its call",
      ready(
        "False",
        "UpdateFailed",
        `${failed}Error waiting for instance to create: Quota 'N2_CPUS' exceeded.  Limit: 8.0 in region europe-west8.`,
      ),
      "capacity",
      "QuotaExceeded",
    ],
    ...["regional", "project"].map((scope): [string, Conditions, string, string] => [
      `GKE's ${scope} quota`,
      ready(
        "False",
        "UpdateFailed",
        `${failed}googleapi: Error 403: Insufficient ${scope} quota to satisfy request: resource "CPUS": request requires '24.0' and is short '16.0', forbidden`,
      ),
      "capacity",
      "QuotaExceeded",
    ]),
    [
      "a zone without capacity",
      ready(
        "False",
        "UpdateFailed",
        `${failed}Error waiting for instance to create: ZONE_RESOURCE_POOL_EXHAUSTED: try`,
      ),
      "capacity",
      "ZONE_RESOURCE_POOL_EXHAUSTED",
    ],
    [
      "too many requests, which Google answers with 403",
      ready("False", "UpdateFailed", `${failed}googleapi: Error 403: Rate Limit Exceeded, rateLimitExceeded`),
      "retrying",
      "RateLimitExceeded",
    ],
    ...[
      "Error resolving image name 'x/y': Could not find image or family x/y",
      "Error creating instance: googleapi: Error 404: The resource 'projects/x/global/images/y' was not found, notFound",
      "Error creating instance: googleapi: Error 404: The resource 'projects/x/global/images/family/y' was not found, notFound",
      "Error creating instance: googleapi: Error 400: Invalid value for field 'resource.disks[0].initializeParams.sourceImage': 'https://www.googleapis.com/compute/v1/projects/x/global/images/y'. The referenced image resource cannot be found., invalid",
      "Error creating instance: googleapi: Error 400: Invalid value for field 'resource.disks[0].initializeParams.sourceImage': 'family/y'. The URL is malformed., invalid",
    ].map((text): [string, ReturnType<typeof ready>, string, string] => [
      `an image: ${text.slice(0, 60)}`,
      ready("False", "UpdateFailed", `${failed}${text}`),
      "terminal",
      "ImageNotFound",
    ]),
    [
      "an image of others",
      ready(
        "False",
        "UpdateFailed",
        `${failed}Error creating instance: googleapi: Error 403: Required 'compute.images.useReadOnly' permission for 'projects/x/global/images/y', forbidden`,
      ),
      "terminal",
      "ImageForbidden",
    ],
    [
      "an immutable field",
      ready("False", "UpdateFailed", "cannot make changes to immutable field(s): [zone]"),
      "terminal",
      "ImmutableField",
    ],
    [
      "no context serves the namespace",
      [{ type: "Unmanaged", status: "True", message: "none" }],
      "retrying",
      "Unmanaged",
    ],
  ])("%s", (_, conditions, state, reason) => {
    expect(verdict(GOOGLE, conditions)).toEqual([state, reason]);
  });

  it.each([
    [
      `${failed}Error creating Address: googleapi: Error 403: Quota 'IN_USE_ADDRESSES' exceeded.  Limit: 8.0 in region europe-west8., quotaExceeded`,
      "QuotaExceeded",
      "Error creating Address: Quota 'IN_USE_ADDRESSES' exceeded.  Limit: 8.0 in region europe-west8.",
    ],
    [
      "Update call failed: error fetching live state: googleapi: Error 503: try later, backendError",
      "BackendError",
      "try later",
    ],
    [`${failed}googleapi: Error 503: try later`, "UpdateFailed", "googleapi: Error 503: try later"],
    [
      "Update call failed: cannot make changes to immutable field(s): [zone]",
      "ImmutableField",
      "cannot make changes to immutable field(s): [zone]",
    ],
  ])("gives the code once: %s", (message, reason, text) => {
    expect(readiness(resource(GOOGLE, ready("False", "UpdateFailed", message)))).toMatchObject({
      reason,
      message: text,
    });
  });

  it("waits while status.observedGeneration is older than the object", () => {
    expect(verdict(GOOGLE, ready("True", "UpToDate"), { observedGeneration: 1 })).toEqual(["waiting", "Pending"]);
    expect(verdict(GOOGLE, ready("True", "UpToDate"), { observedGeneration: 2 })).toEqual(["ready", "Ready"]);
  });
});

describe("readiness of Elemento and other resources", () => {
  it.each<[string, string, Conditions | null, [state: string, reason: string]]>([
    ["running", ELEMENTO, ready("True", "Running"), ["ready", "Ready"]],
    ["under way", ELEMENTO, ready("False", "Registering", "", { severity: "Info" }), ["waiting", "Registering"]],
    ["refused", ELEMENTO, ready("False", "Refused", "", { severity: "Error" }), ["terminal", "Refused"]],
    ["no room", ELEMENTO, ready("False", "NoOffer", "", { severity: "Warning" }), ["retrying", "NoOffer"]],
    ["not looked at", ELEMENTO, null, ["waiting", "Pending"]],
    ["a ConfigMap is ready by being there", "v1", null, ["ready", "Ready"]],
    ["any other kind's Ready counts", "example.org/v1", ready("False", "Busy"), ["waiting", "Busy"]],
  ])("%s", (_, apiVersion, conditions, expected) => {
    expect(verdict(apiVersion, conditions)).toEqual(expected);
  });

  it("is not ready during its deletion", () => {
    const object = resource(GOOGLE, ready("True", "UpToDate"));
    object.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    expect(readiness(object)).toMatchObject({ ready: false, reason: "Deleting" });
  });
});
