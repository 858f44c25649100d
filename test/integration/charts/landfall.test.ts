import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { LandfallError } from "../../../src/errors.ts";
import { readConsoleFlags } from "../../../src/flags/console-options.ts";
import { readControllerFlags } from "../../../src/flags/controller-options.ts";
import { readOperatorFlags } from "../../../src/flags/operator-options.ts";
import { readWebhookFlags } from "../../../src/flags/webhook-options.ts";
import { isObject } from "../../../src/model/json.ts";
import { LANDFALL_CHART, podTemplates, type Rendered, renderLandfall } from "../../support/charts/render-landfall.ts";
import { restrictedProblems } from "../../support/charts/restricted-pod.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const cases = await Promise.all(
  ["minimal", "full", "krateo"].map(async (name) => {
    const { objects, error } = await renderLandfall(`${name}-values.yaml`);
    return { name, objects, error };
  }),
);
const objectsOf = (wanted: string): Rendered[] => cases.find(({ name }) => name === wanted)?.objects ?? [];
const minimal = parse(await readFile(join(LANDFALL_CHART, "ci/minimal-values.yaml"), "utf8")) as Record<
  string,
  unknown
>;

const find = (objects: readonly Rendered[], kind: string, name: string): Rendered | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);

function argumentsOf(objects: readonly Rendered[], component: string): string[] {
  const pod = podTemplates(objects).find(
    ({ metadata }) => metadata.labels["app.kubernetes.io/component"] === component,
  );
  return (pod?.spec.containers[0]?.["args"] ?? []) as string[];
}

/** What commander gets: without the program and its Node options. */
function flagsOf(objects: readonly Rendered[], component: string): string[] {
  const args = argumentsOf(objects, component);
  return ["node", "main.ts", ...args.slice(args.findIndex((one) => one.endsWith(".ts")) + 1)];
}

/** A value in the schema. */
interface Field {
  description?: string;
  properties?: Record<string, Field>;
}

interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

describe.each(cases)("the chart with $name values", ({ objects, error }) => {
  it("renders", () => {
    expect(error).toBeNull();
    expect(objects.length).toBeGreaterThan(20);
  });

  it("has only Pods of the security standard restricted, with a root that cannot be written", () => {
    const pods = podTemplates(objects);
    expect(pods.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "Deployment landfall-webhook",
        "Deployment landfall-controller",
        "Job landfall-unregister",
        "Pod landfall-doctor",
      ]),
    );
    expect(pods.flatMap(({ name, spec }) => restrictedProblems(spec).map((text) => `${name}: ${text}`))).toEqual([]);
  });

  it("limits the memory of every container, and names an image", () => {
    for (const { spec } of podTemplates(objects))
      for (const container of spec.containers) {
        expect(container).toMatchObject({
          resources: {
            requests: { cpu: expect.any(String) as string },
            limits: { memory: expect.any(String) as string },
          },
        });
        expect(container["image"]).toMatch(/^registry\.example\/landfall[:@]/);
      }
  });

  it("gives rights to ServiceAccounts that it makes, each Pod its own", () => {
    const accounts = new Set(
      objects.filter(({ kind }) => kind === "ServiceAccount").map(({ metadata }) => metadata.name),
    );
    const used = podTemplates(objects).map(({ spec }) => spec.serviceAccountName);
    expect(used.filter((name) => !accounts.has(name))).toEqual([]);
    expect(new Set(used).size).toBe(used.length);
  });

  it("starts the processes with arguments that they accept", () => {
    const webhook = readWebhookFlags(
      flagsOf(objects, "webhook").map((one) =>
        one
          .replace(/^(--client-ca)=.*/, `$1=${root}/package.json`)
          .replace(/(token-file)=.*/, `$1=${root}/package.json`)
          .replace(/^(--ca)=.*/, `$1=${root}/package.json`),
      ),
    );
    expect(webhook).toMatchObject({
      register: true,
      releaseConfigmap: "landfall-release",
      clientName: "kube-apiserver",
    });
    const controller = readControllerFlags(
      flagsOf(objects, "controller").map((one) => one.replace(/^(--ca)=.*/, `$1=${root}/package.json`)),
      "host",
    );
    expect(controller).toMatchObject({ leaderElect: "landfall-system", healthHost: "0.0.0.0", healthPort: 8081 });
    if (find(objects, "Deployment", "landfall-console") !== undefined)
      expect(
        readConsoleFlags(
          flagsOf(objects, "console").map((one) => one.replace(/^(--cluster-ca)=.*/, `$1=${root}/package.json`)),
        ),
      ).toMatchObject({ origin: "https://landfall.example.org", host: "0.0.0.0", port: 8080, healthPort: 8081 });
    if (find(objects, "Deployment", "landfall-elemento") === undefined) return;
    const defaults = { requestsPerSecond: 1, timeoutSeconds: 1, clusterForm: "note" } as const;
    expect(readOperatorFlags(flagsOf(objects, "elemento"), defaults).account).toEqual({
      namespace: "landfall-system",
      name: "elemento-account",
    });
  });

  it("mounts every file that an argument names", () => {
    for (const { name, spec } of podTemplates(objects)) {
      const [container] = spec.containers;
      const mounts = ((container?.["volumeMounts"] ?? []) as { mountPath: string }[]).map(
        ({ mountPath }) => `${mountPath}/`,
      );
      const files = ((container?.["args"] ?? []) as string[]).flatMap(
        (arg) => /=(\/(?:etc|var)\/.+)/.exec(arg)?.[1] ?? [],
      );
      expect(
        files.filter((file) => !mounts.some((mount) => `${file}/`.startsWith(mount))),
        name,
      ).toEqual([]);
    }
  });
});

describe("the console", () => {
  it("is off by default, and needs the address that browsers open", async () => {
    expect(objectsOf("minimal").filter(({ metadata }) => metadata.name === "landfall-console")).toEqual([]);
    const { error } = await renderLandfall({ ...minimal, console: { enabled: true } });
    expect(error).toContain("console.origin is missing");
    const wrong = await renderLandfall({ ...minimal, console: { enabled: true, origin: "https://a.example/console" } });
    expect(wrong.error).toContain("/console/origin");
  });

  it("has no right and no token, and only the proxy reaches it", async () => {
    const objects = objectsOf("full");
    expect(find(objects, "ServiceAccount", "landfall-console")).toMatchObject({ automountServiceAccountToken: false });
    const pod = podTemplates(objects).find(({ name }) => name === "Deployment landfall-console");
    expect(pod?.spec).toMatchObject({ automountServiceAccountToken: false, serviceAccountName: "landfall-console" });
    const bound = objects.flatMap((object) => (object["subjects"] ?? []) as { name: string }[]);
    expect(bound.filter(({ name }) => name === "landfall-console")).toEqual([]);
    expect(find(objects, "NetworkPolicy", "landfall-console")?.["spec"]).toMatchObject({
      ingress: [
        {
          ports: [{ port: "pages", protocol: "TCP" }],
          from: [
            {
              namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "proxy" } },
              podSelector: { matchLabels: { app: "oauth2-proxy" } },
            },
          ],
        },
        { ports: [{ port: "health", protocol: "TCP" }] },
      ],
    });
    const { objects: open } = await renderLandfall({
      ...minimal,
      console: { enabled: true, origin: "https://a.example" },
    });
    expect(find(open, "NetworkPolicy", "landfall-console")?.["spec"]).toMatchObject({
      ingress: [{ from: [{ podSelector: {} }] }],
    });
    expect(find(open, "Service", "landfall-console")?.["spec"]).toMatchObject({ ports: [{ name: "http", port: 80 }] });
    expect(find(objects, "Service", "landfall-console")?.["spec"]).toMatchObject({
      ports: [{ name: "https", port: 443 }],
    });
  });
});

describe("the rights", () => {
  const files = ["webhook", "controller", "elemento", "schedule"];

  it.each(files)("of local mode's file %s are those of the chart", async (file) => {
    const text = await readFile(join(LANDFALL_CHART, "rbac", `${file}.yaml`), "utf8");
    const objects = [
      ...objectsOf("krateo"),
      ...objectsOf("minimal"),
      ...(await renderLandfall({ ...minimal, elemento: { enabled: true } })).objects,
    ];
    for (const document of parseAllDocuments(text)) {
      const plain = document.toJS() as Rendered;
      const rendered = find(objects, plain.kind, plain.metadata.name ?? "");
      expect(rendered?.["roleRef"]).toEqual(plain["roleRef"]);
      expect(rendered?.["subjects"]).toEqual(plain["subjects"]);
      expect(rendered?.["rules"]).toEqual(plain["rules"]);
    }
  });

  it("are those of another namespace if the chart is installed there", async () => {
    const { objects } = await renderLandfall(minimal, { namespace: "platform" });
    expect(JSON.stringify(objects.filter(({ kind }) => kind !== "CustomResourceDefinition"))).not.toContain(
      "landfall-system",
    );
    expect(find(objects, "RoleBinding", "landfall-webhook")).toMatchObject({
      metadata: { namespace: "platform" },
      subjects: [{ namespace: "platform" }],
    });
    expect(argumentsOf(objects, "controller")).toContain("--leader-elect=platform");
  });

  it("under Krateo leave the controller nothing but starts", () => {
    expect(find(objectsOf("krateo"), "ClusterRole", "landfall-composition")).toBeUndefined();
    expect(argumentsOf(objectsOf("krateo"), "controller")).toContain("--schedule-only");
    expect(JSON.stringify(find(objectsOf("krateo"), "ValidatingAdmissionPolicy", "releases.landfall.dev"))).toContain(
      "system:serviceaccount:krateo:",
    );
  });

  it("of the Elemento operator reach Secrets of named namespaces only", () => {
    const bindings = objectsOf("full").filter(
      ({ kind, metadata }) => kind === "RoleBinding" && metadata.name === "landfall-elemento-secrets",
    );
    expect(bindings.map(({ metadata }) => metadata.namespace).sort()).toEqual(["landfall-system", "team"]);
    const resources = (
      (find(objectsOf("full"), "ClusterRole", "landfall-elemento")?.["rules"] ?? []) as Rule[]
    ).flatMap((rule) => rule.resources);
    expect(resources).not.toContain("secrets");
  });
});

describe("what is in use", () => {
  const policies = (objects: readonly Rendered[]): (string | undefined)[] =>
    objects
      .filter(({ kind, metadata }) => kind.startsWith("ValidatingAdmissionPolicy") && metadata.name?.includes("in-use"))
      .map(({ kind, metadata }) => `${kind} ${String(metadata.name)}`);
  const own = ["kinds-in-use", "definitions-in-use"].flatMap((name) => [
    ...[`ValidatingAdmissionPolicy ${name}.landfall.dev`, `ValidatingAdmissionPolicyBinding ${name}.landfall.dev`],
  ]);

  it("is kept by policies, but under Krateo, which deletes the CRDs of its definitions itself", () => {
    expect(policies(objectsOf("minimal")).sort()).toEqual(own.toSorted());
    expect(policies(objectsOf("krateo"))).toEqual([]);
  });

  it("is kept with the texts of the error list", () => {
    const said = ["kinds-in-use", "definitions-in-use"].flatMap((name) => {
      const policy = find(objectsOf("minimal"), "ValidatingAdmissionPolicy", `${name}.landfall.dev`);
      const spec = policy?.["spec"] as { validations: { messageExpression: string }[] } | undefined;
      return (spec?.validations ?? []).map(({ messageExpression }) => messageExpression);
    });
    const name = "oldObject.metadata.name";
    const line = { crd: `' + ${name} + '`, name: `' + ${name} + '` };
    const lines = (["REL_KIND_IN_USE", "REL_KIND_INSTALLED", "REL_DEFINITION_IN_USE"] as const).map(
      (code) => `'${new LandfallError(code, line).line}'`,
    );
    expect(said).toEqual(lines.map((text) => text.replace("'' + ", "")));
  });
});

describe("the webhook", () => {
  const deployment = find(objectsOf("minimal"), "Deployment", "landfall-webhook")?.["spec"];

  it("runs three times by default, on different nodes and in different zones, of which one may be evicted", () => {
    const selector = { matchLabels: { "app.kubernetes.io/component": "webhook" } };
    const spread = ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map((topologyKey) => ({
      ...{ maxSkew: 1, topologyKey, whenUnsatisfiable: "ScheduleAnyway", labelSelector: selector },
    }));
    expect(deployment).toMatchObject({
      replicas: 3,
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: { spec: { topologySpreadConstraints: spread } },
    });
    const budget = find(objectsOf("minimal"), "PodDisruptionBudget", "landfall-webhook")?.["spec"];
    expect(budget).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow", selector });
    expect(flagsOf(objectsOf("minimal"), "webhook")).toContain("--ledger");
  });

  it("has no budget of evictions if it runs once: a node could not be drained", () => {
    expect(find(objectsOf("krateo"), "Deployment", "landfall-webhook")?.["spec"]).toMatchObject({ replicas: 1 });
    expect(find(objectsOf("krateo"), "PodDisruptionBudget", "landfall-webhook")).toBeUndefined();
  });

  it("decides without a controller if controller.replicas is 0, as during a restore", async () => {
    const { objects } = await renderLandfall({ ...minimal, controller: { replicas: 0 } });
    expect(find(objects, "Deployment", "landfall-controller")?.["spec"]).toMatchObject({ replicas: 0 });
    expect(find(objects, "PodDisruptionBudget", "landfall-controller")).toBeUndefined();
    expect(find(objects, "Deployment", "landfall-webhook")?.["spec"]).toMatchObject({ replicas: 3 });
  });

  it("ends one replica before the next on the nodes' own network, where two need the same port", async () => {
    const strategyOf = async (webhook: object): Promise<unknown> => {
      const { objects } = await renderLandfall({
        ...minimal,
        webhook: { ...(minimal["webhook"] as object), ...webhook },
      });
      const spec = find(objects, "Deployment", "landfall-webhook")?.["spec"];
      return (spec as { strategy: object } | undefined)?.strategy;
    };
    const rolled = (maxUnavailable: number, maxSurge: number): object => ({
      ...{ type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge } },
    });
    expect(await strategyOf({ hostNetwork: true })).toEqual(rolled(1, 0));
    expect(await strategyOf({ hostNetwork: true, replicas: 1 })).toEqual(rolled(1, 0));
    expect(await strategyOf({ replicas: 1 })).toEqual(rolled(0, 1));
  });

  it("is rolled without a replica less, and answers until no API server calls it", () => {
    expect(find(objectsOf("full"), "Deployment", "landfall-webhook")?.["spec"]).toMatchObject({
      replicas: 3,
      strategy: { rollingUpdate: { maxUnavailable: 0 } },
      template: {
        spec: {
          terminationGracePeriodSeconds: 35,
          containers: [{ lifecycle: { preStop: { sleep: { seconds: 10 } } } }],
        },
      },
    });
    expect(argumentsOf(objectsOf("full"), "webhook")).toContain("--drain-seconds=5");
    expect(find(objectsOf("full"), "PodDisruptionBudget", "landfall-webhook")?.["spec"]).toMatchObject({
      maxUnavailable: 1,
    });
  });

  it("has no preStop of zero seconds, which Kubernetes refuses before 1.33", async () => {
    const webhook = { ...(minimal["webhook"] as object), preStopSeconds: 0 };
    const { objects } = await renderLandfall({ ...minimal, webhook });
    const pod = podTemplates(objects).find(({ name }) => name === "Deployment landfall-webhook");
    expect(pod?.spec.containers[0]).not.toHaveProperty("lifecycle");
    expect(pod?.spec["terminationGracePeriodSeconds"]).toBe(25);
  });

  it("is sent requests once it is ready, and is ended only if it does not live", () => {
    const pod = podTemplates(objectsOf("minimal")).find(({ name }) => name === "Deployment landfall-webhook");
    const probe = (path: string): object => ({ httpGet: { path, port: "https", scheme: "HTTPS" } });
    expect(pod?.spec.containers[0]).toMatchObject({
      startupProbe: probe("/healthz"),
      readinessProbe: probe("/readyz"),
      livenessProbe: probe("/healthz"),
    });
  });

  it("is called by its Service, which selects its Pods, or by a URL", () => {
    const service = find(objectsOf("minimal"), "Service", "landfall-webhook")?.["spec"] as { selector: object };
    expect((deployment as { template: unknown }).template).toMatchObject({ metadata: { labels: service.selector } });
    // One replica for each API server: it knows the names of machines at once, which no ledger has.
    expect(service).toMatchObject({ sessionAffinity: "ClientIP" });
    expect(argumentsOf(objectsOf("minimal"), "webhook")).toContain("--service=landfall-webhook");
    expect(argumentsOf(objectsOf("krateo"), "webhook")).toContain("--url=https://landfall.example:8443");
    expect(argumentsOf(objectsOf("krateo"), "webhook")).not.toContain("--service=landfall-webhook");
  });

  it("has no configuration in the chart: helm would take its CA away", () => {
    expect(objectsOf("full").filter(({ kind }) => kind.endsWith("WebhookConfiguration"))).toEqual([]);
  });

  it("is rolled when its files change, and not when they do not", async () => {
    const configOf = async (bundle: object): Promise<string> => {
      const { objects } = await renderLandfall({ ...minimal, bundle });
      const pod = podTemplates(objects).find(({ name }) => name === "Deployment landfall-webhook") as {
        metadata: { annotations?: Record<string, string> };
      };
      return pod.metadata.annotations?.["landfall.dev/config"] ?? "";
    };
    const settings = (seconds: number) => ({ ref: "r.example/b:1", settings: { poll: { seconds }, keys: ["/a.pub"] } });
    const [one, same, other] = await Promise.all([configOf(settings(2)), configOf(settings(2)), configOf(settings(3))]);
    expect([one.length, one === same, one === other]).toEqual([64, true, false]);
  });
});

it("helm runs the removal of the webhook configurations before anything else of an uninstallation, and the doctor only as a test", () => {
  const hooked = objectsOf("full").flatMap(({ kind, metadata }) => {
    const { "helm.sh/hook": hook, "helm.sh/hook-weight": weight } = metadata.annotations ?? {};
    return hook === undefined ? [] : [[hook, metadata.name, Number(weight), kind] as const];
  });
  const of = (wanted: string) => hooked.filter(([hook]) => hook === wanted).sort((a, b) => a[2] - b[2]);
  expect(of("pre-delete").at(-1)).toEqual(["pre-delete", "landfall-unregister", 0, "Job"]);
  expect(of("test").at(-1)).toEqual(["test", "landfall-doctor", 0, "Pod"]);
  expect(of("pre-delete").length + of("test").length).toBe(hooked.length);
  const bindings = hooked.filter(([, , , kind]) => kind.endsWith("Binding")).map(([, , weight]) => weight);
  expect(bindings.every((weight) => weight < 0)).toBe(true);
});

it("the webhook expects no certificate without an identity of the API server", async () => {
  const { objects, error } = await renderLandfall({ ...minimal, webhook: { door: "none" } });
  expect(error).toBeNull();
  const { door, clientCa, sourceRate } = readWebhookFlags(flagsOf(objects, "webhook"));
  expect([door, clientCa, sourceRate]).toEqual(["none", undefined, 300]);
  expect(find(objects, "ConfigMap", "landfall-webhook")?.["data"] ?? {}).not.toHaveProperty(["api-server-ca.crt"]);
});

describe("values", () => {
  const set = (...pairs: string[]) => ({ args: pairs.flatMap((pair) => ["--set", pair]) });

  it.each<[string, string[], string]>([
    ["a name that is misspelt", ["webhook.replica=2"], "additional properties 'replica' not allowed"],
    ["a word where a number belongs", ["webhook.timeoutSeconds=soon"], "got string, want integer"],
    ["a timeout that the API server refuses", ["webhook.timeoutSeconds=31"], "maximum"],
    ["no image", ["image.repository="], "image.repository is missing"],
    ["no bundle", ["bundle.ref="], "bundle.ref is missing"],
    ["no signer of bundles", ["bundle.unsigned=false"], "bundle.settings is missing"],
    [
      "a signer whose key is not given",
      ["bundle.unsigned=false", "bundle.settings.keys={a.pub}"],
      "bundle.keys has no file of this name",
    ],
    ["a key in place of the API server's CA", ["bundle.keys.api-server-ca\\.crt=x"], "which the chart writes itself"],
    ["a key in place of settings", ["controller.chartKeys.bundle-settings\\.yaml=x"], "which the chart writes itself"],
    [
      "two keys of one name",
      ["bundle.keys.a\\.pub=x", "controller.chartKeys.a\\.pub=y"],
      "bundle.keys and controller.chartKeys have different files a.pub",
    ],
    [
      "no client certificate",
      ["webhook.clientCertificate.ca=", "webhook.clientCertificate.commonName="],
      "webhook.clientCertificate.ca and .commonName are missing",
    ],
    ["half a certificate", ["webhook.clientCertificate.commonName="], "belong together"],
    [
      "a door that nobody knows",
      ["webhook.door=open"],
      "value must be one of 'client-certificate', 'token', 'none', 'auto'",
    ],
    [
      "a certificate for a door without one",
      ["webhook.door=none"],
      "webhook.door none and webhook.clientCertificate contradict",
    ],
    [
      "provisional decisions for controllers that check none",
      ["webhook.door=auto", "krateo.enabled=true"],
      "krateo.enabled and webhook.door auto contradict",
    ],
    ["no charts", ["charts.repository="], "charts.repository is missing"],
    ["metrics without a token", ["monitoring.serviceMonitor.enabled=true"], "needs webhook.statusTokenSecret"],
    [
      "tag and digest",
      ["image.tag=v1", `image.digest=sha256:${"0".repeat(64)}`],
      "image.tag and image.digest contradict",
    ],
    [
      "a scheduler slower than the webhook",
      [
        "webhook.scheduler.url=https://s.example",
        "webhook.scheduler.budgetMilliseconds=5000",
        "webhook.timeoutSeconds=5",
      ],
      "does not fit into webhook.timeoutSeconds 5",
    ],
    ["namespaces without the operator", ["elemento.namespaces={a}"], "no effect without elemento.enabled=true"],
  ])("with %s are refused with what to write", async (_, pairs, text) => {
    const { error } = await renderLandfall(minimal, set(...pairs));
    expect(error).toContain(text);
  });

  it("each have a default in values.yaml, a description, and a template that reads them", async () => {
    const schema = JSON.parse(await readFile(join(LANDFALL_CHART, "values.schema.json"), "utf8")) as Field;
    const defaults: unknown = parse(await readFile(join(LANDFALL_CHART, "values.yaml"), "utf8"));
    const names = await readdir(join(LANDFALL_CHART, "templates"), { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const templates = (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("\n");
    const problems: string[] = [];
    const checkOne = (path: string[], field: Field, value: unknown): void => {
      const name = path.join(".");
      // Requests and limits are read together.
      const isRead = path.at(-2) === "resources" || templates.includes(`.${path.at(-1) ?? ""}`);
      if (!field.description) problems.push(`${name} has no description`);
      if (value === undefined) problems.push(`${name} has no default`);
      if (field.properties === undefined && !isRead) problems.push(`${name} is not read`);
    };
    const walk = (path: string[], field: Field, value: unknown): void => {
      const { properties = {} } = field;
      const inner = isObject(value) ? value : {};
      if (path.length > 0) checkOne(path, field, value);
      if (field.properties !== undefined)
        problems.push(
          ...Object.keys(inner)
            .filter((key) => !(key in properties))
            .map((key) => `${path.join(".")}.${key} is not in the schema`),
        );
      for (const [key, sub] of Object.entries(properties)) walk([...path, key], sub, inner[key]);
    };
    const { global: _, ...properties } = schema.properties ?? {};
    walk([], { properties }, defaults);
    expect(problems).toEqual([]);
  });
});
