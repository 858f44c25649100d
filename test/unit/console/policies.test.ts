import { describe, expect, it } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { policyInput } from "../../../src/admission/decide/policy-input.ts";
import { readRequest } from "../../../src/admission/check/read-request.ts";
import { impactArgs, simulateArgs } from "../../../src/console/commands/simulate-args.ts";
import { settingDenials } from "../../../src/console/map/places-map.ts";
import { readGeography } from "../../../src/console/map/read-geography.ts";
import { rowOf } from "../../../src/console/objects/row-of.ts";
import { placesLeft, quotasOf, rulesFor } from "../../../src/console/policies/namespace-rules.ts";
import { auditedIn, exemptionsIn } from "../../../src/console/policies/read-policies.ts";
import { type EventObject, reportedBundles } from "../../../src/console/policies/reported-bundles.ts";
import { settingsInForce } from "../../../src/console/policies/settings-in-force.ts";
import { namespaceSettings } from "../../../src/model/wrong-value/namespace-setting.ts";
import { UsageIndex } from "../../../src/external-data/usage/usage-index.ts";
import type { Kind } from "../../../src/model/names.ts";
import { readWorkload } from "../../../src/model/read-workload.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { context, create, NOW, patched, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";

const event = (reason: string, lastTimestamp: string, message: unknown): EventObject => ({
  ...{ apiVersion: "v1", kind: "Event", metadata: { name: "one" }, reason, lastTimestamp },
  message: typeof message === "string" ? message : JSON.stringify(message),
});

describe("the bundles that the webhook reported", () => {
  it("are the newest active one of each name, and those that were refused and not used since", () => {
    const found = reportedBundles([
      event("BundleActive", "2026-11-20T10:00:00Z", { digest: "sha256:a", revision: "1", signers: ["team"] }),
      event("BundleActive", "2026-11-20T12:00:00Z", { digest: "sha256:b", revision: "2" }),
      event("BundleActive", "2026-11-20T11:00:00Z", { bundle: "prices", digest: "sha256:p", revision: "7" }),
      event("BundleNotUsed", "2026-11-20T13:00:00Z", { digest: "sha256:c", code: "BUNDLE_CANARY", detail: "denies 4" }),
      event("BundleNotUsed", "2026-11-20T11:30:00Z", { digest: "sha256:b", code: "BUNDLE_SLOW", detail: "once" }),
      event("BundleActive", "2026-11-20T14:00:00Z", "not JSON"),
      event("Pulled", "2026-11-20T14:00:00Z", { digest: "sha256:z" }),
    ]);
    expect(found.eventsSince).toBe("2026-11-20T10:00:00Z");
    expect(reportedBundles([]).eventsSince).toBe(null);
    expect(found.active.map(({ bundle, revision, signers }) => [bundle, revision, signers])).toContainEqual([
      ...["prices", "7"],
      [],
    ]);
    expect(found.quarantined).toEqual([
      { digest: "sha256:c", code: "BUNDLE_CANARY", reason: "denies 4", at: "2026-11-20T13:00:00Z" },
    ]);
  });
});

const condition = (type: string) => ({
  ...{ type, status: "True", reason: type, message: "", lastTransitionTime: "2026-11-20T22:00:00Z" },
});

const SETTINGS = {
  origin: "azure/italynorth",
  providers: ["azure", "aws"],
  places: { allowed: [] },
  residency: ["EU"],
  latency: { max: 80, estimates: true },
  schedule: { waitingCostPercent: 10, maxWait: "12h" },
  quotas: { default: { vcpus: 64 }, namespaces: { demo: { vcpus: 32 } } },
};

const inForce = (annotations: Record<string, string>, labels: Record<string, string> = {}) => {
  const found = settingsInForce(SETTINGS, { name: "demo", annotations, labels });
  return (key: string) => {
    const one = found.find(({ name }) => name === `landfall.dev/${key}`);
    return [one?.inForce, one?.from];
  };
};

describe("the settings in force", () => {
  it("have every setting that a namespace can have", () => {
    const names = settingsInForce({}, { name: "demo", annotations: {}, labels: {} }).map(({ name }) => name);
    expect(names.toSorted()).toEqual(Object.keys(namespaceSettings()).toSorted());
  });

  it("say whose value applies", () => {
    const of = inForce(
      {
        "landfall.dev/origin": "aws/eu-south-1",
        "landfall.dev/max-latency": "100",
        "landfall.dev/max-wait": "90m",
        "landfall.dev/residency": "IT",
      },
      { "landfall.dev/providers": "aws_gcp" },
    );
    expect(of("origin")).toEqual(["aws/eu-south-1", "namespace"]);
    expect(of("providers")).toEqual(["aws", "both"]);
    expect(of("max-latency")).toEqual(["80", "platform"]);
    expect(of("max-wait")).toEqual(["90m", "namespace"]);
    expect(of("residency")).toEqual(["EU; and IT", "both"]);
    expect(of("quota-vcpus")).toEqual(["32", "platform"]);
    expect(of("name-pattern")).toEqual(["not set", "none"]);
  });

  it("agree with the rules about origin, waiting, objective and quota", async () => {
    const policy = await loadPolicy();
    const annotations = {
      "landfall.dev/origin": "aws/eu-south-1",
      "landfall.dev/waiting-cost-percent": "3",
      "landfall.dev/max-wait": "5h",
      "landfall.dev/quota-vcpus": "24",
    };
    const namespace = { name: "demo", labels: {}, annotations };
    const object = vm({ cpu: 1, memory: 1 });
    const request = readRequest("VmTemplate", object);
    const asked = { object, request, namespace, nowSeconds: NOW, operation: "CREATE", relatedWorkloads: null } as const;
    const result = policy.evaluate(policyInput(asked));
    expect(result).toMatchObject({
      ...{ origin: "aws/eu-south-1", quota: { vcpus: 24 } },
      schedule: { waitingCostPercent: 3, maxWaitSeconds: 5 * 3600 },
    });
    const found = new Map(settingsInForce({}, namespace).map(({ name, inForce: value }) => [name, value]));
    for (const [name, value] of Object.entries(annotations)) expect([name, found.get(name)]).toEqual([name, value]);
  });
});

describe("the bundles of the last audit", () => {
  it("are those that reports name, with the number of their namespaces", () => {
    const reports = [{ bundle: "sha256:a" }, { bundle: "sha256:b" }, { bundle: "sha256:a" }, { summary: {} }, null];
    expect(auditedIn(reports)).toEqual([
      { digest: "sha256:a", namespaces: 2 },
      { digest: "sha256:b", namespaces: 1 },
    ]);
  });
});

describe("the exemptions", () => {
  it("are over after their last day", () => {
    const one = { id: "T-1", owner: "ops", reason: "move", codes: ["POL_QUOTA"], namespaces: ["demo"], names: ["*"] };
    const exemptions = [
      { ...one, expires: "2026-11-20" },
      { ...one, expires: "2026-11-19" },
      { ...one, expires: "2026-11-20T21:59:59Z" },
    ];
    expect(exemptionsIn({ exemptions }, NOW).map(({ isOver }) => isOver)).toEqual([false, true, true]);
    expect(exemptionsIn(null, NOW)).toEqual([]);
  });
});

describe("a namespace", () => {
  it("has the places of a country that its rules leave, and the rule that removes the others", async () => {
    const asked = async (annotations: Record<string, string>) =>
      placesLeft(
        { policy: await loadPolicy(), namespace: { name: "demo", labels: {}, annotations }, nowSeconds: NOW },
        await readGeography("catalog"),
        "IT",
      );
    const all = await asked({});
    expect([all.left, all.places > 0]).toEqual([all.places, true]);
    expect(await asked({ "landfall.dev/residency": "SE" })).toEqual({
      ...{ places: all.places, left: 0 },
      rules: [{ rule: "residency", places: all.places }],
      denials: [],
    });
  });

  it("has no place while a setting cannot be read, and says which", async () => {
    const annotations = { "landfall.dev/max-latency": "fast" };
    const namespace = { name: "demo", labels: {}, annotations };
    const asked = { policy: await loadPolicy(), namespace, nowSeconds: NOW };
    const message = "namespace demo sets landfall.dev/max-latency to fast; valid values: a whole number";
    for (const country of ["IT", null]) {
      const found = placesLeft(asked, await readGeography("catalog"), country);
      expect(found).toMatchObject({ left: 0, rules: [{ rule: "wrongSetting", places: found.places }] });
      expect(found.denials).toEqual([message]);
    }
    const settings = settingsInForce(SETTINGS, namespace, settingDenials(rulesFor(asked)));
    expect(settings.filter(({ problem }) => problem !== null)).toMatchObject([
      { name: "landfall.dev/max-latency", namespace: "fast", inForce: "every object is denied", problem: message },
    ]);
  });

  it("has its quota with what its objects hold, as the webhook counts it", async () => {
    const policy = await loadPolicy();
    const annotations = { "landfall.dev/quota-vcpus": "4", "landfall.dev/quota-objects": "9" };
    const namespace = { name: "demo", labels: {}, annotations };
    const nodePools = [{ name: "system", count: 2, max: 4, cpu: 2, memory: 8 }];
    const conditions = [condition("Completed")];
    const objects = [
      vm({ cpu: 2, memory: 4 }, { name: "one" }),
      // Its resources are still there.
      { ...vm({ cpu: 2, memory: 4 }, { name: "over" }), status: { conditions, managed: [{}] } },
      { ...vm({ provider: "gcp", nodePools }), kind: "KaasCluster" },
    ] as Resource[];
    const others = [
      { ...vm({ cpu: 2, memory: 4 }, { name: "gone" }), status: { conditions, managed: [] } },
      vm({ cpu: 2, memory: 4 }, { name: "foreign", namespace: "x" }),
    ] as Resource[];
    const usage = new UsageIndex();
    for (const object of objects) usage.set(object.metadata.name ?? "", [readWorkload(object.kind as Kind, object)]);
    const counted = usage.usage("demo", "");
    expect(counted).toMatchObject({ objects: 3, vcpus: 2 + 2 + 4 * 2 });
    const rows = [...objects, ...others].map(rowOf);
    expect(quotasOf({ policy, namespace, rows, nowSeconds: NOW })).toEqual([
      { what: "objects", limit: 9, used: counted.objects },
      { what: "vCPU", limit: 4, used: counted.vcpus },
    ]);
    expect(quotasOf({ policy, namespace, rows: null, nowSeconds: NOW })).toEqual([
      { what: "objects", limit: 9, used: null },
      { what: "vCPU", limit: 4, used: null },
    ]);
  });

  it("has a quota of price that counts a cluster at its largest", async () => {
    const policy = await loadPolicy();
    const nodePools = [{ name: "system", min: 1, max: 4, cpu: 2, memory: 8 }];
    const asked = { ...vm({ provider: "gcp", nodePools }), kind: "KaasCluster" };
    const outcome = admit({ ...create(asked), kind: "KaasCluster" }, context(policy, NOW));
    const object = patched(asked, outcome) as Resource;
    const namespace = { name: "demo", labels: {}, annotations: { "landfall.dev/quota-price": "9999" } };
    const perHour = readWorkload("KaasCluster", object).pricePerHour ?? 0;
    expect(perHour).toBeGreaterThan(rowOf(object).usdPerHour ?? Infinity);
    expect(quotasOf({ policy, namespace, rows: [rowOf(object)], nowSeconds: NOW })).toEqual([
      { what: "USD a month", limit: 9999, used: Math.round(perHour * 730) },
    ]);
  });
});

describe("the commands", () => {
  it("get each value of a form as a part of one argument", () => {
    const args = simulateArgs(
      {
        ...{ jobs: 10, seed: 1, shift: "both", duration: "--html=/x", slack: "1-2", waitingCost: 5 },
        ...{ frontier: "", maxPauses: 3, knownHours: 0 },
      },
      "/tmp/plots.json",
    );
    expect(args).toContain("--duration=--html=/x");
    expect(args.filter((arg) => arg.startsWith("--html"))).toEqual([]);
    // Pauses are for a fixed place alone.
    expect(args.join(" ")).not.toContain("--max-pauses");
    const impact = impactArgs(
      { bundle: "--dir=/", against: "" },
      { kubeconfig: "/k", systemNamespace: "s", registry: ["--plain-http"] },
    );
    expect(impact).toEqual([
      ...["impact", "--output=json", "--bundle=--dir=/", "--kubeconfig=/k", "--plain-http"],
      "--system-namespace=s",
    ]);
  });
});
