import { describe, expect, it } from "vitest";
import { readiness } from "../../../../src/composition/status/readiness.ts";
import { admit } from "../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { HOUR_SECONDS, formatTime } from "../../../../src/model/time.ts";
import { context, create, NO_OWNERS, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const INSTALLED = { managed: [{ apiVersion: "v1", resource: "secrets", name: "web", namespace: "demo" }] };
const KEY = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"A".repeat(43)}`;
const SPEC = {
  ...{ cpu: 2, memory: 4, provider: "aws", schedulingLocation: "eu-north-1" },
  disks: [{ name: "data", sizeGiB: 100 }],
  osDisk: { sizeGiB: 40 },
};

const ON_AZURE = { ...SPEC, provider: "azure", schedulingLocation: "italynorth" };

const created = (spec: Record<string, unknown>, metadata: Partial<WorkloadObject["metadata"]> = {}): WorkloadObject => {
  const object = vm(spec, metadata);
  const stored = patched(object, admit(create(object), context(policy)));
  return { ...stored, metadata: { ...stored.metadata, creationTimestamp: formatTime(NOW) } };
};
const installed = (spec: Record<string, unknown> = SPEC): WorkloadObject => ({ ...created(spec), status: INSTALLED });

const withAnnotations = (object: WorkloadObject, annotations: Record<string, string>): WorkloadObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});
const PAUSED = { [ANNOTATION.paused]: "true" };

const change = (
  old: WorkloadObject,
  spec: Record<string, unknown>,
  annotations: Record<string, string> = {},
): Outcome =>
  admit(
    update(old, withAnnotations({ ...old, spec: { ...old.spec, ...spec } }, annotations)),
    context(policy, NOW + HOUR_SECONDS),
  );
const codesOf = (outcome: Outcome): readonly string[] => (outcome.allowed ? [] : outcome.codes);

describe("a machine that runs and is paused by its user", () => {
  const free = { cpu: 2, memory: 4 };

  it.each([
    ["may not move", free, { dataResidency: ["FR"] }, "POL_RESIDENCY"],
    ["keeps its system", SPEC, { os: "debian-12" }, "ADM_IMMUTABLE"],
  ])("%s", (_what, spec, fields, code) => {
    const old = withAnnotations(installed(spec), PAUSED);
    expect(codesOf(change(old, fields))).toContain(code);
    // The same as without the pause.
    expect(codesOf(change(installed(spec), fields))).toContain(code);
  });

  it("keeps the pause regardless of the decision", () => {
    const old = withAnnotations(installed(), PAUSED);
    for (const outcome of [change(old, {}, { [ANNOTATION.reevaluate]: "1" }), change(old, { tags: { a: "b" } })]) {
      expect(outcome.allowed && outcome.patch.filter(({ path }) => path.includes("paused"))).toEqual([]);
    }
  });
});

describe("an object that its user holds back from the first", () => {
  it("keeps the pause when it is decided again", () => {
    const old = created({ cpu: 2, memory: 4 }, { annotations: PAUSED });
    const outcome = change(old, { dataResidency: ["FR"] });
    const next = patched({ ...old, spec: { ...old.spec, dataResidency: ["FR"] } }, outcome);
    expect(next.metadata.annotations?.[ANNOTATION.paused]).toBe("true");
    expect(next.spec?.["schedulingLocation"]).not.toBe(old.spec?.["schedulingLocation"]);
  });

  it("starts at its time once its user removes the pause", () => {
    const later = { cpu: 2, memory: 4, schedulingTime: formatTime(NOW + 24 * HOUR_SECONDS) };
    const old = created(later, { annotations: PAUSED });
    expect(old.metadata.annotations?.[ANNOTATION.hold]).toBe("paused by its user");
    const { [ANNOTATION.paused]: _paused, ...rest } = old.metadata.annotations ?? {};
    const next = { ...old, metadata: { ...old.metadata, annotations: rest } };
    const { annotations = {} } = patched(next, admit(update(old, next), context(policy, NOW + HOUR_SECONDS))).metadata;
    expect(annotations[ANNOTATION.paused]).toBe("true");
    expect(annotations).not.toHaveProperty([ANNOTATION.hold]);
    // Another reason to hold it back is not the pause's.
    const audit = { ...next, metadata: { ...next.metadata, annotations: { ...rest, [ANNOTATION.hold]: "audit" } } };
    const outcome = admit(update(old, audit), context(policy, NOW + HOUR_SECONDS));
    expect(patched(audit, outcome).metadata.annotations?.[ANNOTATION.hold]).toBe("audit");
  });

  it("is not held after Landfall's hold if it is to start now", () => {
    const germany = { provider: "gcp", schedulingLocation: "europe-west3" };
    const deadline = formatTime(NOW + 48 * HOUR_SECONDS);
    const old = created({ cpu: 2, memory: 4, duration: "1h", deadline, ...germany });
    expect(old.metadata.annotations?.[ANNOTATION.paused]).toBe("true");
    const next = { ...old, spec: { ...old.spec, deadline: formatTime(NOW + 2.1 * HOUR_SECONDS) } };
    const outcome = admit(update(old, next), context(policy, NOW + HOUR_SECONDS));
    expect(patched(next, outcome).metadata.annotations?.[ANNOTATION.paused]).toBeUndefined();
  });
});

describe("a machine that is installed", () => {
  it.each([
    ["vmName", { vmName: "db2" }, "spec.vmName"],
    ["the addresses of its network", { network: { cidr: "10.9.0.0/16" } }, "spec.network.cidr"],
    ["another network", { network: { existing: { subnet: "subnet-1" } } }, "spec.network.existing"],
    ["a start to come", { schedulingTime: "2027-01-01T00:00:00Z" }, "spec.schedulingTime"],
  ])("can't get %s, and is told where", (_what, fields, field) => {
    const outcome = change(installed(), fields);
    expect(codesOf(outcome)).toContain("ADM_IMMUTABLE");
    expect(outcome.allowed ? "" : outcome.message).toContain(field);
  });

  it.each([
    ["a smaller disk", { disks: [{ name: "data", sizeGiB: 50 }] }, "spec.disks[0].sizeGiB"],
    ["a smaller disk to start from", { osDisk: { sizeGiB: 30 } }, "spec.osDisk.sizeGiB"],
  ])("can't get %s, where disks can grow", (_what, fields, field) => {
    const outcome = change(installed(ON_AZURE), fields);
    expect(codesOf(outcome)).toEqual(["ADM_IMMUTABLE"]);
    expect(outcome.allowed ? "" : outcome.message).toContain(field);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["aws", { osDisk: { sizeGiB: 80 } }, "spec.osDisk.sizeGiB"],
    ["aws", { osDisk: { sizeGiB: 40, type: "ssd" } }, "spec.osDisk.type"],
    ["aws", { disks: [{ name: "data", sizeGiB: 200 }] }, "spec.disks"],
    ["aws", { disks: [{ name: "data", sizeGiB: 50 }] }, "spec.disks"],
    ["aws", { userData: "#cloud-config" }, "spec.userData"],
    ["aws", { sshPublicKey: KEY }, "spec.sshPublicKey"],
    ["aws", { network: { publicIP: true } }, "spec.network.publicIP"],
    ["elemento", { tags: { a: "b" } }, "spec.tags"],
  ])("on %s, is denied %j, which its operator would ignore", (provider, fields, field) => {
    const old = installed(provider === "aws" ? SPEC : { cpu: 1, memory: 1, provider });
    const outcome = change(old, fields);
    expect(codesOf(outcome)).toEqual(["ADM_IGNORED"]);
    expect(outcome.allowed ? "" : outcome.message).toContain(`${field} cannot change`);
    expect(outcome.allowed ? "" : outcome.message).toContain(`nothing would happen at ${provider}: `);
  });

  it.each([
    ["azure", "italynorth", { userData: "#cloud-config" }, "spec.userData"],
    ["gcp", "europe-west8", { network: { publicIP: true } }, "spec.network.publicIP"],
    ["gcp", "europe-west8", { osDisk: { sizeGiB: 60 } }, "spec.osDisk.sizeGiB"],
    ["gcp", "europe-west8", { disks: [{ name: "data", sizeGiB: 100, type: "premium" }] }, "spec.disks[0].type"],
    ["azure", "italynorth", { disks: [{ name: "data", sizeGiB: 200, type: "standard" }] }, "spec.disks[0].type"],
    ["azure", "italynorth", { osDisk: { sizeGiB: 40, type: "premium" } }, "spec.osDisk.type"],
    ["azure", "italynorth", { osDisk: { sizeGiB: 80 } }, "spec.osDisk.sizeGiB"],
  ])("is denied on %s in %s what its operator cannot do in place", (provider, schedulingLocation, fields, field) => {
    const old = installed({ ...SPEC, provider, schedulingLocation });
    const outcome = change(old, fields);
    expect(codesOf(outcome)).toEqual(["ADM_IMMUTABLE"]);
    expect(outcome.allowed ? "" : outcome.message).toContain(field);
  });

  it("changes in place what its operator can", () => {
    const old = installed({ ...SPEC, provider: "azure", schedulingLocation: "italynorth" });
    expect(codesOf(change(old, { network: { publicIP: true } }))).toEqual([]);
    expect(
      codesOf(
        change(installed({ ...SPEC, provider: "gcp", schedulingLocation: "europe-west8" }), {
          sshPublicKey: KEY,
        }),
      ),
    ).toEqual([]);
  });

  it.each(["azure", "gcp"])("gets disks of another type on %s beside those that it has", (provider) => {
    const schedulingLocation = provider === "azure" ? "italynorth" : "europe-west8";
    const old = installed({ ...SPEC, provider, schedulingLocation });
    const disks = [
      { name: "fast", sizeGiB: 10, type: "premium" },
      { name: "data", sizeGiB: 100, type: "balanced" },
    ];
    expect(codesOf(change(old, { disks }))).toEqual([]);
  });

  it("can get another image as long as there is no machine, because its image does not exist", () => {
    const old = installed();
    const failed = (message: string): WorkloadObject => ({
      ...old,
      status: { ...INSTALLED, conditions: [{ type: "Ready", status: "False", reason: "ProviderTerminal", message }] },
    });
    const image = { image: "ami-0123456789abcdef0" };
    const missing = failed("Instance web: InvalidAMIID.NotFound: The image id does not exist [REL_PROVIDER_TERMINAL]");
    expect(codesOf(change(missing, image))).toEqual([]);
    expect(codesOf(change(missing, { ...image, vmName: "db2" }))).toEqual(["ADM_IMMUTABLE"]);
    expect(codesOf(change(failed("Instance web: AuthFailure: no"), image))).toEqual(["ADM_IMMUTABLE"]);
    expect(codesOf(change(old, image))).toEqual(["ADM_IMMUTABLE"]);
  });

  it.each([
    "Error resolving image name 'p/x': Could not find image or family p/x",
    "Error creating instance: googleapi: Error 404: The resource 'projects/p/global/images/x' was not found, notFound",
    "Error creating instance: googleapi: Error 400: Invalid value for field 'resource.disks[0].initializeParams.sourceImage': 'x'. The referenced image resource cannot be found., invalid",
    "Error creating instance: googleapi: Error 403: Required 'compute.images.useReadOnly' permission for 'projects/p/global/images/x', forbidden",
  ])("can get another image on Google Cloud as long as its operator says: %s", (text) => {
    const old = installed({ ...SPEC, provider: "gcp", schedulingLocation: "europe-west8", image: "debian-cloud/x" });
    const condition = { type: "Ready", status: "False", reason: "UpdateFailed" };
    const message = `Update call failed: error applying desired state: summary: ${text}`;
    const { reason, message: words } = readiness({
      apiVersion: "compute.cnrm.cloud.google.com/v1beta1",
      ...{ kind: "ComputeInstance", metadata: { name: "web" }, status: { conditions: [{ ...condition, message }] } },
    });
    const ready = { type: "Ready", status: "False", reason: "ProviderTerminal" };
    const said = { ...ready, message: `ComputeInstance web: ${reason}: ${words} [REL_PROVIDER_TERMINAL]` };
    const failed = { ...old, status: { ...INSTALLED, conditions: [said] } };
    expect(codesOf(change(failed, { image: "debian-cloud/debian-12" }))).toEqual([]);
    expect(codesOf(change(failed, { vmName: "db2" }))).toEqual(["ADM_IMMUTABLE"]);
    expect(codesOf(change(old, { image: "debian-cloud/debian-12" }))).toEqual(["ADM_IMMUTABLE"]);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["OptInRequired", { image: "ami-0123456789abcdef0" }, { vmName: "db2" }],
    ["InvalidBlockDeviceMapping", { disks: [{ name: "data", sizeGiB: 50 }] }, { userData: "#cloud-config" }],
    ["InvalidBlockDeviceMapping", { osDisk: { sizeGiB: 35, type: "premium" } }, { network: { publicIP: true } }],
    ["VolumeLimitExceeded", { disks: [] }, { userData: "#cloud-config" }],
    ["InvalidSnapshot.NotFound", { osDisk: { sizeGiB: 80 } }, { userData: "#cloud-config" }],
    ["MaxIOPSLimitExceeded", { disks: [{ name: "data", sizeGiB: 200, type: "premium" }] }, { vmName: "db2" }],
    ["InvalidUserData.Malformed", { userData: "#cloud-config" }, { osDisk: { sizeGiB: 80 } }],
    ["InvalidUserData.Malformed", { sshPublicKey: KEY }, { disks: [] }],
  ])("can get what %s is about as long as there is no machine, and nothing else", (code, corrected, other) => {
    const old = installed();
    const says = (message: string): WorkloadObject => ({
      ...old,
      status: { ...INSTALLED, conditions: [{ type: "Ready", status: "False", reason: "ProviderTerminal", message }] },
    });
    const fixed = expect.stringMatching(/^ADM_(?:IGNORED|IMMUTABLE)$/) as string;
    const failed = says(`Instance web: ${code}: no [REL_PROVIDER_TERMINAL]`);
    expect(codesOf(change(failed, corrected))).toEqual([]);
    expect(codesOf(change(failed, other))).toContainEqual(fixed);
    expect(codesOf(change(old, corrected))).toContainEqual(fixed);
    // The code of another resource, or in the words of another error.
    expect(codesOf(change(says(`Subnet web: ${code}: no`), corrected))).toContainEqual(fixed);
    expect(codesOf(change(says(`Instance web: AuthFailure: ${code}: no`), corrected))).toContainEqual(fixed);
  });

  it.each([
    [{ instanceType: "c5a.xlarge" }, "spec.instanceType", "c5a.large to c5a.xlarge"],
    [{ instanceType: "m7i.xlarge" }, "spec.instanceType", "c5a.large to m7i.xlarge"],
    [{ instanceType: "c5a.xlarge", cpu: 4, memory: 8 }, "spec.instanceType", "c5a.large to c5a.xlarge"],
    [{ cpu: 4, memory: 8 }, "spec.cpu", "c5a.large to 4 vCPU, 8 GiB"],
  ])("is denied %j on aws, which never changes a type", (fields, field, text) => {
    const old = installed();
    expect(old.spec?.["instanceType"]).toBe("c5a.large");
    const byUser = installed({ ...SPEC, instanceType: "c5a.large" });
    const outcomes = [change(old, fields), change(byUser, fields)];
    // With its provider and region fixed, it stays in its place.
    outcomes.push(change(old, fields, { [ANNOTATION.allowMove]: "true" }));
    for (const outcome of outcomes) {
      expect(codesOf(outcome)).toEqual(["ADM_RESIZE_UNSUPPORTED"]);
      expect(outcome.allowed ? "" : outcome.message).toContain(`aws cannot change ${text} in place`);
      const denials = outcome.allowed ? [] : (outcome.decision?.denials ?? []);
      expect(denials.map((one) => one.field)).toEqual([field]);
    }
  });

  it.each([
    ["azure/italynorth", {}, { memory: 16 }, [/^Standard_D2als_v6$/, /^Standard_[DE]2\w*_v[67]$/]],
    ["azure/italynorth", {}, { cpu: 4 }, [/^Standard_D2als_v6$/, /^Standard_[DEF]4\w*_v[67]$/]],
    ["azure/westeurope", { instanceType: "Standard_D2ls_v5" }, { memory: 16 }, [/_D2ls_v5$/, /^Standard_E2a?s_v[45]$/]],
    ["gcp/europe-west8", {}, { memory: 16 }, [/^e2-/, /^(e2|n1|n2|n2d)-/]],
  ] as const)("gets a type in %s that %j can become with %j", (place, spec, fields, [from, to]) => {
    const [provider = "", schedulingLocation = ""] = place.split("/");
    const old = installed({ cpu: 2, memory: 4, ...spec, provider, schedulingLocation });
    expect(old.spec?.["instanceType"]).toMatch(from);
    const { instanceType: _type, ...open } = old.spec ?? {};
    const next = { ...old, spec: { ...open, ...fields } };
    const outcome = admit(update(old, next), context(policy, NOW + HOUR_SECONDS));
    expect(codesOf(outcome)).toEqual([]);
    const type = patched(next, outcome).spec?.["instanceType"];
    expect(type).toMatch(to);
    expect(type).not.toMatch(/^Standard_[A-Z]+\d+[a-z]*d/);
  });

  it.each([
    ["italynorth", "Standard_D2als_v6", { instanceType: "Standard_E2as_v5" }, "Standard_D2als_v6 is one that fits"],
    ["westeurope", "Standard_D2ls_v5", { instanceType: "Standard_D2ads_v5" }, "temporary disk"],
    ["westeurope", "Standard_D2ls_v5", { instanceType: "Standard_D2ds_v4", memory: 8 }, "is one that fits"],
    ["westeurope", "Standard_D2ls_v5", { instanceType: "Standard_D4als_v6", cpu: 4, memory: 8 }, "disk controller"],
    ["westeurope", "Standard_D2as_v4", { instanceType: "Standard_D2as_v5" }, "temporary disk"],
  ])("is denied in %s on azure: %s becomes %j", (schedulingLocation, instanceType, fields, text) => {
    const old = installed({ cpu: 2, memory: 4, provider: "azure", schedulingLocation, instanceType });
    const outcome = change(old, fields);
    expect(codesOf(outcome)).toEqual(["ADM_RESIZE_UNSUPPORTED"]);
    const said = outcome.allowed ? "" : outcome.message;
    expect(said).toContain(`azure cannot change ${instanceType} to ${fields.instanceType} in place`);
    expect(said).toContain(text);
  });

  it("can get any type on azure as long as there is no machine", () => {
    const run = { duration: "4h", deadline: formatTime(NOW + 48 * HOUR_SECONDS), interruptible: { by: "recreate" } };
    const spec = { cpu: 2, memory: 4, provider: "azure", schedulingLocation: "westeurope", ...run };
    const old = installed({ ...spec, instanceType: "Standard_D2ls_v5" });
    const conditions = [{ type: "Ready", status: "False", reason: "ProviderCapacity", message: "none" }];
    const none = { ...old, status: { ...INSTALLED, conditions } };
    expect(codesOf(change(old, { instanceType: "Standard_D2als_v6" }))).toEqual(["ADM_RESIZE_UNSUPPORTED"]);
    const next = { ...none, spec: { ...none.spec, instanceType: "Standard_D2als_v6" } };
    const without = { ...NO_OWNERS, isInstalled: () => true, lacksMachine: () => true };
    expect(codesOf(admit(update(none, next), context(policy, NOW + HOUR_SECONDS, without)))).toEqual([]);
    const refused = [
      { type: "Ready", status: "False", reason: "", message: "VirtualMachine web: SkuNotAvailable: no" },
    ];
    const unmade = { ...old, status: { ...INSTALLED, conditions: refused } };
    expect(codesOf(change(unmade, { instanceType: "Standard_D2als_v6" }))).toEqual([]);
  });

  it("keeps its type on aws if its user removes it, also where another one is cheaper", () => {
    const old = installed({ ...SPEC, instanceType: "m7i.xlarge" });
    const { instanceType: _type, ...rest } = old.spec ?? {};
    const next = { ...old, spec: rest };
    const outcome = admit(update(old, next), context(policy, NOW + HOUR_SECONDS));
    expect(codesOf(outcome)).toEqual([]);
    expect(patched(next, outcome).spec?.["instanceType"]).toBe("m7i.xlarge");
  });

  it.each(["InsufficientInstanceCapacity", "VcpuLimitExceeded", "InvalidInstanceType", "Unsupported"])(
    "can get another type on aws after %s, because there is no machine",
    (code) => {
      const old = installed();
      const says = (message: string): WorkloadObject => ({
        ...old,
        status: { ...INSTALLED, conditions: [{ type: "Ready", status: "False", reason: "ProviderCapacity", message }] },
      });
      const failed = says(`Instance web: ${code}: no [REL_PROVIDER_CAPACITY]`);
      expect(codesOf(change(failed, { instanceType: "m7i.xlarge" }))).toEqual([]);
      expect(codesOf(change(failed, { cpu: 4, memory: 8 }))).toEqual([]);
      const other = says(`Vpc web: ${code}: no [REL_PROVIDER_CAPACITY]`);
      expect(codesOf(change(other, { instanceType: "m7i.xlarge" }))).toEqual(["ADM_RESIZE_UNSUPPORTED"]);
    },
  );

  it.each([
    ["Disk web-data", "Cannot resize disk web_data while it is attached to running VM web."],
    ["VirtualMachine web", "Cannot resize disk web_os while it is attached to running VM web."],
    ["VirtualMachine web", "Change in disk property of OS disk '' is not allowed when VM is running"],
  ])("can get its disks' sizes back if Azure grew none: %s: %s", (resource, why) => {
    const grown = { osDisk: { sizeGiB: 80 }, disks: [{ name: "data", sizeGiB: 200 }] };
    const old = installed({ ...ON_AZURE, ...grown });
    const says = (message: string): WorkloadObject => ({
      ...old,
      status: { ...INSTALLED, conditions: [{ type: "Ready", status: "False", reason: "ProviderRetrying", message }] },
    });
    const failed = says(`${resource}: OperationNotAllowed: ${why} [REL_PROVIDER_RETRYING]`);
    const back = [{ osDisk: { sizeGiB: 40 } }, { disks: [{ name: "data", sizeGiB: 100 }] }];
    for (const sizes of back) {
      expect(codesOf(change(failed, sizes))).toEqual([]);
      expect(codesOf(change(old, sizes))).toEqual(["ADM_IMMUTABLE"]);
      const quota = says(`${resource}: OperationNotAllowed: exceeding approved Total Regional Cores quota`);
      expect(codesOf(change(quota, sizes))).toEqual(["ADM_IMMUTABLE"]);
    }
    expect(codesOf(change(failed, { userData: "#cloud-config" }))).toEqual(["ADM_IMMUTABLE"]);
  });

  it("keeps its last data disk on Azure, where an empty list is not sent", () => {
    const two = { ...ON_AZURE, disks: [...SPEC.disks, { name: "more", sizeGiB: 50 }] };
    expect(codesOf(change(installed(ON_AZURE), { disks: [] }))).toEqual(["ADM_IGNORED"]);
    expect(codesOf(change(installed(two), { disks: [] }))).toEqual(["ADM_IGNORED"]);
    expect(codesOf(change(installed(two), { disks: SPEC.disks }))).toEqual([]);
  });

  it("can get them before it is installed", () => {
    expect(codesOf(change(created(SPEC), { vmName: "db2" }))).toEqual([]);
    expect(codesOf(change(created(SPEC), { disks: [{ name: "data", sizeGiB: 50 }] }))).toEqual([]);
  });

  it("grows a disk that is attached to 4095 GiB at most on Azure, unless it is larger", () => {
    const grown = (from: number, to: number): readonly string[] =>
      codesOf(
        change(installed({ ...ON_AZURE, disks: [{ name: "data", sizeGiB: from }] }), {
          disks: [{ name: "data", sizeGiB: to }],
        }),
      );
    expect(grown(100, 4095)).toEqual([]);
    expect(grown(100, 4096)).toEqual(["ADM_IMMUTABLE"]);
    expect(grown(4095, 5000)).toEqual(["ADM_IMMUTABLE"]);
    expect(grown(5000, 6000)).toEqual([]);
    const disks = (sizeGiB: number) => ({ disks: [{ name: "data", sizeGiB }] });
    const outcome = change(installed({ ...ON_AZURE, ...disks(100) }), disks(16_384));
    expect(outcome.allowed ? "" : outcome.message).toContain("set spec.disks[0].sizeGiB to 4095 or less");
    const large = {
      disks: [
        { name: "data", sizeGiB: 100 },
        { name: "more", sizeGiB: 5000 },
      ],
    };
    expect(codesOf(change(installed(ON_AZURE), large))).toEqual([]);
  });

  it("gets no more data disks on Azure than its size takes", () => {
    const count = (most: number) => Array.from({ length: most }, (_, at) => ({ name: `d${String(at)}`, sizeGiB: 100 }));
    expect(codesOf(change(installed(ON_AZURE), { disks: count(4) }))).toEqual([]);
    const outcome = change(installed(ON_AZURE), { disks: count(5) });
    expect(codesOf(outcome)).toEqual(["POL_FEATURE"]);
    expect(outcome.allowed ? "" : outcome.message).toContain("two data disks for each vCPU");
    // A smaller size would not take those that it has.
    const large = installed({ ...ON_AZURE, cpu: 4, memory: 8, disks: count(8) });
    const { instanceType: _type, ...open } = large.spec ?? {};
    const next = { ...large, spec: { ...open, cpu: 2, memory: 4 } };
    expect(codesOf(admit(update(large, next), context(policy, NOW + HOUR_SECONDS)))).toEqual(["POL_FEATURE"]);
  });

  it("can get a larger or an additional disk, and reports a removed one", () => {
    const more = [
      { name: "data", sizeGiB: 200 },
      { name: "logs", sizeGiB: 10 },
    ];
    expect(change(installed(ON_AZURE), { disks: more })).toMatchObject({ allowed: true, warnings: [] });
    const warnings = ["the disk data is deleted, and what is on it [DISK_REMOVED]"];
    const before = installed({ ...ON_AZURE, disks: more });
    expect(change(before, { disks: more.slice(1) })).toMatchObject({ allowed: true, warnings });
  });

  it("warns on AWS that the first ports take a machine out of its VPC's default group, unless groups are named", () => {
    const on = (groups?: string[]): WorkloadObject =>
      installed({
        ...{ cpu: 2, memory: 4, provider: "aws", schedulingLocation: "eu-north-1" },
        network: {
          existing: { network: "vpc-0123456789abcdef0", subnet: "subnet-0123456789abcdef0", securityGroups: groups },
        },
      });
    const warned = (old: WorkloadObject): string =>
      JSON.stringify((change(old, { ports: [{ port: 443 }] }) as { warnings: string[] }).warnings);
    expect(warned(on([]))).toContain("GROUP_LEFT");
    expect(warned(on(["sg-0123456789abcdef0"]))).not.toContain("GROUP_LEFT");
    expect(warned(installed())).not.toContain("GROUP_LEFT");
    const { spec = {} } = on([]);
    const changed = change(on(["sg-0123456789abcdef0"]), { network: spec["network"], ports: [{ port: 443 }] });
    expect(JSON.stringify((changed as { warnings: string[] }).warnings)).not.toContain("GROUP_LEFT");
  });

  it("keeps one security group on AWS, its own if it has ports", () => {
    const groups = (securityGroups: string[]): Record<string, unknown> => ({
      network: { existing: { network: "vpc-0123456789abcdef0", subnet: "subnet-0123456789abcdef0", securityGroups } },
    });
    const [one, two] = ["sg-0123456789abcdef0", "sg-0123456789abcdef1"] as const;
    const aws = { cpu: 2, memory: 4, provider: "aws", schedulingLocation: "eu-north-1" };
    const old = installed({ ...aws, ...groups([one]) });
    expect(codesOf(change(old, groups([two, one])))).toEqual([]);
    expect(codesOf(change(old, groups([])))).toEqual(["ADM_IMMUTABLE"]);
    const withPorts = installed({ ...aws, ...groups([one]), ports: [{ port: 443 }] });
    expect(codesOf(change(withPorts, groups([])))).toEqual([]);
    expect(codesOf(change(installed({ ...aws, ...groups([]) }), groups([one])))).toEqual([]);
  });

  it("reports a removed disk that stays, and decides once whether it does, where the provider cannot change it", () => {
    const kept = { ...ON_AZURE, disks: [{ name: "data", sizeGiB: 100, deletionPolicy: "retain" }] };
    const warnings = ["the disk data stays at its provider, and is paid for [DISK_KEPT]"];
    const logs = { name: "logs", sizeGiB: 10 };
    const two = { ...kept, disks: [...kept.disks, logs] };
    expect(change(installed(two), { disks: [logs] })).toMatchObject({ allowed: true, warnings });
    expect(codesOf(change(installed(ON_AZURE), { disks: kept.disks }))).toEqual(["ADM_IMMUTABLE"]);
    expect(
      codesOf(change(installed(kept), { disks: [{ name: "data", sizeGiB: 200, deletionPolicy: "retain" }] })),
    ).toEqual([]);
    const spelled = [{ name: "data", sizeGiB: 100, deletionPolicy: "delete" }];
    expect(codesOf(change(installed(ON_AZURE), { disks: spelled }))).toEqual([]);
  });
});

describe("an object with a decision", () => {
  const onlyAzure = { ...context(policy), namespace: { name: "demo", labels: {}, annotations: {} } };
  onlyAzure.namespace.annotations = { "landfall.dev/providers": "azure" };

  it("is restored unchanged under its own name", () => {
    expect(admit(create(created(SPEC)), context(policy, NOW + HOUR_SECONDS))).toMatchObject({
      allowed: true,
      patch: [],
    });
  });

  it("is denied if the present policy does not allow its place", () => {
    expect(codesOf(admit(create(created(SPEC)), onlyAzure))).toContain("POL_PROVIDER");
  });

  it("is decided again if the decision belongs to another object", () => {
    const copy = created(SPEC, { name: "one" });
    const other = { ...copy, metadata: { ...copy.metadata, name: "other" } };
    const outcome = admit(create(other), context(policy));
    expect(outcome.allowed && outcome.decision).not.toBeNull();
    expect(codesOf(admit(create(other), onlyAzure))).toContain("POL_PROVIDER");
  });

  it("is recognised after the API server has generated its name", () => {
    const { name: _none, ...unnamed } = vm(SPEC).metadata;
    const asked = { ...vm(SPEC), metadata: { ...unnamed, generateName: "web-" } };
    const stored = patched(asked, admit(create(asked), context(policy)));
    const named = { ...stored, metadata: { ...stored.metadata, name: "web-x7k2p" } };
    const outcome = change(named, { tags: { a: "b" } });
    expect(outcome).toMatchObject({ allowed: true, decision: null });
  });

  it.each([
    [39, []],
    [40, ["ADM_NAME_TOO_LONG"]],
  ])("may be called by %i letters that get five more: %j", (length, codes) => {
    const { name: _none, ...unnamed } = vm(SPEC).metadata;
    const asked = { ...vm(SPEC), metadata: { ...unnamed, generateName: "a".repeat(length) } };
    expect(codesOf(admit(create(asked), context(policy)))).toEqual(codes);
  });
});
