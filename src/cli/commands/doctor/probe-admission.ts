import { ApiError, hasStatus } from "../../../cluster/client/api-error.ts";
import { apiPath } from "../../../cluster/api-path.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { dryRunMachine } from "../../../cluster/dry-run-machine.ts";
import { messageOf } from "../../../errors.ts";
import { conditionsOf, type Resource } from "../../../model/kubernetes.ts";
import { ANNOTATION, API_VERSION, WEBHOOK } from "../../../model/names.ts";
import { type Finding, fine, wrong } from "./finding.ts";
import { table } from "../../../model/table.ts";
import { DAY_SECONDS } from "../../../model/time.ts";

const CHECK = "admission";
/** A bundle that expires within this time is reported. */
const SOON_MS = 30 * DAY_SECONDS * 1000;
const DEFINITIONS = apiPath`/apis/core.krateo.io/v1alpha1/compositiondefinitions`;
const IDENTITY =
  "the API server shows no identity that the webhook accepts: see docs/operations/install.md#how-the-api-server-is-authenticated. If it did before, its certificate may have ended: docs/operations/clusters/k3s.md#renew-the-certificate";
const UNCALLED =
  "the API server did not call the first webhook, and only the second one refused: see the findings about the configurations";
const UNREADY = "no Pod of the webhook is ready: see the findings about replicas, and `kubectl -n NAMESPACE get pods`";
const UNTRUSTED =
  "the API server does not trust the certificate that answers: see the findings about replicas and certificates, and whether another program answers at this address";
const NETWORK =
  "let the API server reach port 8443 of the webhook's Pods (firewall, NetworkPolicy, networkPolicy.apiServerCidrs), and see `kubectl -n NAMESPACE get pods,endpointslices`";

const FAILED = "failed calling webhook";
/** Words of the API server about a call that failed, and what to do; the first whose words are all there counts. */
const ADVICE: readonly (readonly [words: string[], remedy: string])[] = [
  [["ADM_CLIENT_CERTIFICATE"], IDENTITY],
  [["ADM_NOT_AUTHENTICATED"], IDENTITY],
  [[`admission webhook "${WEBHOOK.guard}" denied the request`], UNCALLED],
  [[FAILED, "no endpoints available"], UNREADY],
  [[FAILED, 'service "', "not found"], UNREADY],
  [[FAILED, "remote error: tls:"], IDENTITY],
  [[FAILED, "x509:"], UNTRUSTED],
  [[FAILED, "tls:"], UNTRUSTED],
  [[FAILED], NETWORK],
];

const SHOWN: Readonly<Record<string, string>> = table({
  "client-certificate": "the API server shows its client certificate",
  token: "the API server shows its token",
  none: "the API server shows no identity: decisions are provisional until the leading controller confirms them",
});

function explain(thrown: unknown, system: string): Finding {
  const detail = thrown instanceof ApiError ? thrown.detail : messageOf(thrown);
  if (detail.includes(`admission webhook "${WEBHOOK.placement}" denied the request`))
    return fine(CHECK, `the webhook answers; it denies the probe: ${detail}`);
  const [, remedy] = ADVICE.find(([words]) => words.every((word) => detail.includes(word))) ?? [];
  if (remedy !== undefined) return wrong(CHECK, detail, remedy.replace("NAMESPACE", system));
  if (hasStatus(thrown, 403))
    return wrong(CHECK, detail, "run it with the right to create vmtemplates of composition.krateo.io");
  return wrong(CHECK, detail, "correct what the API server says, and run it again");
}

const UNSERVED = `VmTemplates of ${API_VERSION} are not served`;

/** Why VmTemplates are not served, as the CompositionDefinitions say. */
async function explainUnserved(client: KubeClient): Promise<Finding> {
  const list = await client.get<{ items: Resource[] }>(DEFINITIONS).catch(() => null);
  const definitions = list?.items ?? [];
  const said = definitions.flatMap((definition) =>
    conditionsOf(definition)
      .filter(({ status, message }) => status !== "True" && message !== "")
      .map(({ message }) => `${definition.metadata.namespace ?? ""}/${definition.metadata.name ?? ""}: ${message}`),
  );
  const [first] = said;
  if (first === undefined)
    return wrong(
      CHECK,
      UNSERVED,
      definitions.length === 0
        ? "apply the CompositionDefinition vm-template, and look at its conditions. The chart makes it if charts.repository is set; otherwise, as with Krateo, docs/operations/krateo.md#install-next-to-krateo has it"
        : "no controller has read the CompositionDefinitions yet: see the finding about the controller",
    );
  return wrong(
    CHECK,
    `${UNSERVED}. CompositionDefinition ${first}`,
    "correct what its condition says: the chart's charts.repository and versions, and the credentials of registry",
  );
}

/** The finding about the expiry of the bundle that decided a dry run. */
function checkExpiry(expires: string | undefined, nowMs: number): Finding {
  if (expires === undefined) return fine("bundle", "has no expiry, or the webhook does not say it");
  const isSoon = Date.parse(expires) - nowMs < SOON_MS;
  const detail = `${Date.parse(expires) < nowMs ? "expired at" : "expires at"} ${expires}`;
  return isSoon
    ? wrong(
        "bundle",
        `${detail}: from then on, a new replica of the webhook has none`,
        "build and push the next version: docs/operations/bundles.md#the-next-version",
      )
    : fine("bundle", detail);
}

/** `namespace`: that of the dry run. `system`: Landfall's own. */
export interface ProbeOptions {
  namespace: string;
  system: string;
  nowMs: number;
}

/** Has the API server ask the webhook by a dry run, which stores nothing. */
export async function probeAdmission(client: KubeClient, options: ProbeOptions): Promise<Finding[]> {
  const { namespace, system, nowMs } = options;
  const metadata = { generateName: "landfall-doctor-", namespace, annotations: { [ANNOTATION.door]: "" } };
  const began = performance.now();
  try {
    const { metadata: made } = await dryRunMachine(client, metadata);
    const ms = Math.round(performance.now() - began);
    const {
      [ANNOTATION.decision]: decision,
      [ANNOTATION.door]: door = "",
      [ANNOTATION.bundleExpires]: expires,
    } = made.annotations ?? {};
    const shown = SHOWN[door] === undefined ? "" : `; ${SHOWN[door]}`;
    if (decision !== undefined)
      return [checkExpiry(expires, nowMs), fine(CHECK, `decided in ${String(ms)} ms${shown}`)];
    return [
      wrong(CHECK, "the API server created an object without a decision", "see the findings about the configurations"),
    ];
  } catch (thrown) {
    return [hasStatus(thrown, 404) ? await explainUnserved(client) : explain(thrown, system)];
  }
}
