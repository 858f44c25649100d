import { expect, it, onTestFinished, vi } from "vitest";
import { below } from "../../../src/cluster/api-path.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { openCounted } from "../../support/composition/counted-tenant.ts";

const NAMESPACE = "stops-372";
const NAME = "deny-firewalls-372";
const POLICIES = "/apis/admissionregistration.k8s.io/v1";
const SPEC = { provider: "gcp", schedulingLocation: "europe-west3", cpu: 2, memory: 4, ports: [{ port: 443 }] };

it("372: an object of the release that cannot be created does not keep the machine of a run that is over from being stopped", async () => {
  const t = await openCounted(NAMESPACE, "8");
  onTestFinished(() => t.cluster.close());
  const { admin, tenant } = t.cluster;
  const machines = await t.collection("compute.cnrm.cloud.google.com", "computeinstances");
  const firewalls = await t.collection("compute.cnrm.cloud.google.com", "computefirewalls");
  await t.retry(() => t.create("VmTemplate", "m", { ...SPEC, duration: "40s", maxLifetime: "40s", whenDone: "stop" }));
  await t.ready("VmTemplate", "m");
  // As a ResourceQuota would that its tenant fills, for a Secret of a chart: helm ends at the first object that it cannot create.
  const about = { apiVersion: "admissionregistration.k8s.io/v1", metadata: { name: NAME } };
  const rule = { apiGroups: ["compute.cnrm.cloud.google.com"], apiVersions: ["*"], operations: ["CREATE"] };
  await admin.create(`${POLICIES}/validatingadmissionpolicies`, {
    ...{ ...about, kind: "ValidatingAdmissionPolicy" },
    spec: {
      matchConstraints: { resourceRules: [{ ...rule, resources: ["computefirewalls"] }] },
      validations: [{ expression: "false" }],
    },
  });
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": NAMESPACE } };
  await admin.create(`${POLICIES}/validatingadmissionpolicybindings`, {
    ...{ ...about, kind: "ValidatingAdmissionPolicyBinding" },
    spec: { policyName: NAME, validationActions: ["Deny"], matchResources: { namespaceSelector } },
  });
  onTestFinished(async () => {
    await admin.remove(`${POLICIES}/validatingadmissionpolicybindings/${NAME}`);
    await admin.remove(`${POLICIES}/validatingadmissionpolicies/${NAME}`);
  });
  const [firewall = ""] = await t.names(firewalls);
  const { apiVersion, kind, spec } = (await admin.get<Resource>(below(firewalls, firewall))) as Resource;
  const probe = { apiVersion, kind, spec };
  const dryRun = { dryRun: "All" } as const;
  await t.retry(() =>
    expect(admin.create(firewalls, { ...probe, metadata: { name: "probe" } }, dryRun)).rejects.toThrow(NAME),
  );
  await tenant.client.remove(below(firewalls, firewall));
  await vi.waitFor(
    async () => {
      const machine = await tenant.client.get<Resource>(below(machines, "m"));
      expect(machine?.spec?.["desiredStatus"]).toBe("TERMINATED");
    },
    { timeout: 60_000, interval: 500 },
  );
  await t.says("VmTemplate", "m", NAME);
}, 180_000);
