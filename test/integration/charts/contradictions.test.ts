import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LANDFALL_CHART, renderLandfall } from "../../support/charts/render-landfall.ts";

/** A team's bundle, without what a case is about. */
const TEAM = [
  "bundle.settings.bundles[0].name=team",
  "bundle.settings.bundles[0].ref=r.example/team:1",
  "bundle.settings.bundles[0].kind=policy",
];

const GRID = "forecasts.sources[0].name=grid,forecasts.sources[0].type=electricity-maps";

it.each<[string, string[], string]>([
  ...["bundle.settings.foo=1", "controller.chartSettings.foo=1", "forecasts.foo=1", "elemento.tenants.team.foo=1"].map(
    (pair): [string, string[], string] => [`a setting that nobody knows, ${pair}`, [pair], "'foo' not allowed"],
  ),
  [
    "policies that are not made",
    ["networkPolicy.enabled=false", "networkPolicy.apiServerCidrs={10.0.0.0/8}"],
    "networkPolicy.apiServerCidrs has no effect without networkPolicy.enabled=true",
  ],
  ...[
    ["elemento.enabled", "elemento.allowedUrls={https://e.example}"],
    ["elemento.enabled", "elemento.accountSecret=a"],
    ["elemento.enabled", "elemento.workers=8"],
    ["console.enabled", "console.tlsSecret=a"],
    ["console.enabled", "console.proxyPods[0].namespace=a,console.proxyPods[0].labels.a=b"],
    ["tracing.endpoint", "tracing.headersSecret=a"],
    ["webhook.scheduler.url", "webhook.scheduler.budgetMilliseconds=900"],
    ["controller.scan.enabled", "controller.scan.enabled=false,controller.scan.everySeconds=900"],
    ["tenantRole.create", "tenantRole.create=false,tenantRole.aggregateToEdit=true"],
    ["krateo.enabled", "krateo.admissionPolicies=false"],
  ].map(([needed = "", pair = ""]): [string, string[], string] => [
    `${pair} without ${needed}`,
    [pair],
    `no effect without ${needed}`,
  ]),
  ...[
    ["controller.workers", "=8"],
    ["controller.resyncSeconds", "=60"],
    ["controller.helmBy", "=program"],
    ["controller.definitionNamespaces", "={team}"],
    ["controller.passwordHosts", "={registry.example}"],
    ["controller.chartSettings", ".signatures=required"],
    ["controller.chartKeys", ".a\\.pub=-----BEGIN PUBLIC KEY-----"],
    ["controller.scan.everySeconds", "=900"],
    ["rights.compositions", "={databases}"],
    ["rights.resources", ".example\\.com={databases}"],
  ].map(([value = "", given = ""]): [string, string[], string] => [
    `${value} where Krateo installs`,
    ["krateo.enabled=true", `${value}${given}`],
    `${value} has no effect with krateo.enabled`,
  ]),
  ...["0.0.0.0/0", "::/0"].map((all): [string, string[], string] => [
    `Pods at every address, ${all}`,
    [`networkPolicy.podCidrs={${all}}`],
    "Name only the addresses of Pods",
  ]),
  [
    "Pods in two halves of all addresses",
    ["networkPolicy.podCidrs={0.0.0.0/1,128.0.0.0/1}"],
    "Name only the addresses",
  ],
  ...["0.0.0.0/0", "128.0.0.0/1", "::/0", "8000::/1"].map((wide): [string, string[], string] => [
    `API servers at ${wide}`,
    [`networkPolicy.apiServerCidrs={10.0.0.0/8,${wide}}`],
    `networkPolicy.apiServerCidrs has ${wide}`,
  ]),
  [
    "API servers' addresses next to all that are not Pods'",
    ["networkPolicy.apiServerCidrs={10.0.0.0/28}", "networkPolicy.podCidrs={10.244.0.0/16}"],
    "networkPolicy.apiServerCidrs and networkPolicy.podCidrs contradict",
  ],
  ...["99999999", "65536", "0"].map((port): [string, string[], string] => [
    `a bundle at port ${port}`,
    [`bundle.ref=registry:${port}/x`],
    `bundle.ref has the port ${port}`,
  ]),
  ["ports that leave the API server out", ["networkPolicy.egressPorts=null"], "networkPolicy.egressPorts is empty"],
  [
    "definitions of other namespaces alone",
    ["controller.definitionNamespaces={team}"],
    "controller.definitionNamespaces omits landfall-system",
  ],
  ...["https://h.example:8443/landfall", "https://h.example/?a", "https://"].map((url): [string, string[], string] => [
    `an address of the webhook that ends otherwise, ${url}`,
    [`webhook.url=${url}`],
    "without a path, such as https://landfall.example.org:8443",
  ]),
  ["a token that no Pod has", [GRID, "forecasts.sources[0].tokenFile=token"], "write /etc/landfall/forecasts/token"],
  [
    "a token of no Secret",
    [GRID, "forecasts.sources[0].tokenFile=/etc/landfall/forecasts/token"],
    "tokenFile of grid needs forecastsSecret: name the Secret with the key token",
  ],
  [
    "a forecast that no Pod has",
    ["forecasts.sources[0].name=own,forecasts.sources[0].type=file,forecasts.sources[0].path=own.csv"],
    "path of own is own.csv, which no Pod has",
  ],
  [
    "measured hours that nobody measures",
    ["forecasts.sources[0].name=own,forecasts.sources[0].type=embedded,forecasts.sources[0].measured=hours"],
    "own wants measured hours of hours",
  ],
  ["tokens for no forecast", ["forecastsSecret=tokens"], "forecastsSecret has no effect without forecasts"],
  ["a token for no scheduler", ["webhook.scheduler.tokenSecret=a"], "no effect without webhook.scheduler.url"],
  [
    "a token for no log",
    ["webhook.decisionLog.tokenSecret=a"],
    "no effect without a URL in webhook.decisionLog.target",
  ],
  ["a PriorityClass without a name", ["priorityClass.name="], "set priorityClass.name, or priorityClass.create=false"],
  [
    "a PriorityClass of Kubernetes itself",
    ["priorityClass.name=system-cluster-critical"],
    "set priorityClass.create=false",
  ],
  [
    "a CA that is not looked at",
    ["registry.ca=-----BEGIN CERTIFICATE-----", "charts.insecureSkipVerifyTLS=true"],
    "registry.ca and charts.insecureSkipVerifyTLS contradict",
  ],
  [
    "a CA without TLS",
    ["registry.ca=-----BEGIN CERTIFICATE-----", "registry.plainHttp=true"],
    "registry.ca and registry.plainHttp contradict",
  ],
  ["addresses that do not exist", ["networkPolicy.apiServerCidrs={10.0.0.300/8}"], "such as 10.0.0.0/16"],
  ["a bundle that is no reference", ["bundle.ref=nonsense"], "/bundle/ref"],
  ["a bundle's reference as helm writes one", ["bundle.ref=oci://r.example/b:1"], "a reference without oci://"],
  [
    "an image with its tag",
    ["image.repository=r.example/landfall:1"],
    "without a tag, such as registry.example/landfall",
  ],
  ["a variable without a value", ["image.digest="], "value must be 'sha256: and 64 hexadecimal digits"],
  ["charts without oci", ["charts.repository=r.example/charts"], "such as oci://registry.example/charts"],
  ["a chart's version as a tag of git", ["charts.vmTemplate=v0.2.0"], "without v before it"],
  ["two versions of a chart", ["charts.kaasCluster=0.2.0 0.1.0"], "without v before it"],
  ["one address in place of a block", ["networkPolicy.podCidrs={10.0.0.1}"], "10.0.0.7/32 for one address"],
  ["a quantity of Docker", ["webhook.resources.limits.memory=768MB"], "such as 250m, 2 or 320Mi"],
  ["a name that Kubernetes refuses", ["registry.dockerConfigSecret=My_Secret"], "a name of lower-case letters"],
  ...["bundle.keys", "controller.chartKeys"].map((field): [string, string[], string] => [
    `a file's name whose dot is a path in ${field}`,
    [`${field}.bundle.pub=-----BEGIN PUBLIC KEY-----`],
    "put a backslash before each dot in the name of the file",
  ]),
  [
    "a Secret that renews itself as one of yours",
    ["webhook.tls.existingSecret=landfall-webhook-tls"],
    "leave it empty, and they renew it",
  ],
  ["a log on a read-only root", ["webhook.decisionLog.target=file:/var/log/a"], "Write file:/var/lib/landfall/NAME"],
  [
    "metrics that a policy closes",
    ["monitoring.serviceMonitor.enabled=true", "webhook.statusTokenSecret=status"],
    "needs networkPolicy.monitoringNamespace",
  ],
  ...["webhook.clientCertificate.ca", "registry.ca", "bundle.keys.a\\.pub", "controller.chartKeys.a\\.pub"].map(
    (field): [string, string[], string] => [
      `a private key in ${field}`,
      [`${field}=-----BEGIN CERTIFICATE----- -----BEGIN EC PRIVATE KEY-----`],
      "holds a private key",
    ],
  ),
  ...["webhook.clientCertificate.ca", "registry.ca"].flatMap((field): [string, string[], string][] => [
    [`a private key alone in ${field}`, [`${field}=-----BEGIN EC PRIVATE KEY-----`], "holds a private key"],
    [`a text that is no certificate in ${field}`, [`${field}=hello`], `${field} holds no certificate`],
  ]),
  ["an empty public key", ["bundle.keys.a\\.pub="], "bundle.keys.a.pub holds no public key"],
  [
    "a key that is not given",
    ["controller.chartSettings.keys={charts.pub}"],
    "controller.chartKeys has no file of this name: give it with --set-file 'controller.chartKeys.charts\\.pub=charts.pub'",
  ],
  [
    "a key of the bundle that is not given",
    ["bundle.unsigned=false", "bundle.settings.keys={bundle.pub}"],
    "give it with --set-file 'bundle.keys.bundle\\.pub=bundle.pub'",
  ],
  [
    "a team's key that is not given",
    ["bundle.settings.signatures=off", "bundle.settings.bundles[0].keys={team.pub}", ...TEAM],
    "bundle.settings.bundles[0].keys names team.pub, and bundle.keys has no file of this name",
  ],
  ...["bundle.settings", "controller.chartSettings"].map((field): [string, string[], string] => [
    `a trusted root of ${field} that is not given`,
    [`${field}.signatures=off`, `${field}.trustRoot=trusted_root.json`],
    `${field}.trustRoot names trusted_root.json, and`,
  ]),
  ...["bundle.settings", "controller.chartSettings", "bundle.settings.bundles[0]"].map(
    (field): [string, string[], string] => [
      `signers in ${field} without the root of their certificates`,
      [
        ...["bundle.settings.signatures=off", `${field}.identities[0].issuer=https://a.example`],
        ...[`${field}.identities[0].subject=b`, ...(field.includes("[") ? TEAM : [])],
      ],
      `${field}.identities needs ${field.replace(".bundles[0]", "")}.trustRoot`,
    ],
  ),
  [
    "a certificate in place of a public key",
    ["bundle.keys.a\\.pub=-----BEGIN CERTIFICATE-----"],
    "bundle.keys.a.pub holds no public key",
  ],
  ["no version of either chart", ["charts.vmTemplate=", "charts.kaasCluster="], "such as charts.vmTemplate=0.2.0"],
  [
    "a chart for a repository",
    ["charts.repository=oci://registry.example/charts/vm-template"],
    "write oci://registry.example/charts",
  ],
  ["a repository without a host", ["charts.repository=oci:///charts"], "/charts/repository"],
  [
    "Krateo where the API server shows nothing",
    ["webhook.door=auto", "krateo.enabled=true"],
    "on EKS, GKE and AKS, which show none, install without krateo.enabled",
  ],
])("%s: the chart's values are refused with what to write", async (_, pairs, text) => {
  const { error } = await renderLandfall("minimal-values.yaml", { args: pairs.flatMap((pair) => ["--set", pair]) });
  expect(error).toContain(text);
});

interface Schema {
  pattern?: string;
  else?: { const?: string; not?: { const?: string } };
  [key: string]: unknown;
}

it("every form that the chart's schema asks for says what to write, and nothing matches that text itself", async () => {
  const { definitions: _, ...schema } = JSON.parse(
    await readFile(join(LANDFALL_CHART, "values.schema.json"), "utf8"),
  ) as Schema;
  const forms: [string, Schema, Schema][] = [];
  const walk = (path: string, node: Schema, parent: Schema): void => {
    if (typeof node.pattern === "string") forms.push([path, node, parent]);
    for (const [key, inner] of Object.entries(node))
      if (typeof inner === "object" && inner !== null) walk(`${path}/${key}`, inner as Schema, node);
  };
  walk("", schema, {});
  expect(forms.length).toBeGreaterThan(40);
  for (const [path, { pattern = "" }, { else: said }] of forms) {
    expect(said?.const, path).toMatch(/^[a-z].*\w/);
    expect(said?.not, path).toEqual({ const: said?.const });
    expect(said?.const, path).not.toMatch(new RegExp(pattern));
  }
});
