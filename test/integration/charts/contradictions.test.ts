import { expect, it } from "vitest";
import { renderLandfall } from "../../support/charts/render-landfall.ts";

it.each<[string, string[], string]>([
  ...["bundle.settings.foo=1", "controller.chartSettings.foo=1", "forecasts.foo=1", "elemento.tenants.team.foo=1"].map(
    (pair): [string, string[], string] => [`a setting that nobody knows, ${pair}`, [pair], "'foo' not allowed"],
  ),
  [
    "policies that are not made",
    ["networkPolicy.enabled=false", "networkPolicy.apiServerCidrs={10.0.0.0/8}"],
    "networkPolicy.enabled is false, and",
  ],
  ["a token for no scheduler", ["webhook.scheduler.tokenSecret=a"], "no effect without webhook.scheduler.url"],
  ["a token for no log", ["webhook.decisionLog.tokenSecret=a"], "needs a URL in webhook.decisionLog.target"],
  ["a PriorityClass without a name", ["priorityClass.name="], "set priorityClass.name, or priorityClass.create=false"],
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
  ["addresses that do not exist", ["networkPolicy.apiServerCidrs={10.0.0.300/8}"], "does not match pattern"],
  ["a bundle that is no reference", ["bundle.ref=nonsense"], "/bundle/ref"],
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
    "controller.chartKeys has no file of this name",
  ],
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
