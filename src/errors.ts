/**
 * The one registry of everything that can go wrong for a user. A code never changes its meaning once released.
 *
 * `text` is a template: `{name}` is replaced by the parameter of that name. `remedy` says what to do about it.
 */
export interface ErrorEntry {
  readonly text: string;
  readonly remedy: string;
}

export const ERRORS = {
  // The edge: what came over the wire.
  ADM_NOT_A_REVIEW: {
    text: "the body is no AdmissionReview of admission.k8s.io/v1: {detail}",
    remedy: "call this path only from a webhook configuration with admissionReviewVersions [v1]",
  },
  ADM_BODY_TOO_LARGE: {
    text: "the body is larger than {limit} bytes",
    remedy: "make the object smaller (user data is usually the largest part)",
  },
  ADM_UNKNOWN_KIND: {
    text: "Landfall does not decide {kind}",
    remedy: "remove {kind} from the webhook's rules; it decides VmTemplate and KaasCluster of composition.krateo.io",
  },
  ADM_UNKNOWN_VERSION: {
    text: "{kind} has no version {version}",
    remedy: "use apiVersion {known}",
  },
  ADM_CLIENT_CERTIFICATE: {
    text: "the caller showed no certificate that this webhook trusts",
    remedy: "give the API server a client certificate by its AdmissionConfiguration",
  },
  ADM_TIMEOUT: {
    text: "the decision took longer than {limit} ms",
    remedy: "apply again; if it stays so, see /metrics",
  },
  ADM_INTERNAL: {
    text: "the decision failed: {detail}",
    remedy: "report this with the webhook's log line of the same request uid",
  },
  ADM_DECISION_LOG: {
    text: "the decision log cannot go to {target}",
    remedy: "write stdout, file:PATH, or an http or https URL",
  },
  // The object.
  ADM_SCHEMA: { text: "{field}: {detail}", remedy: "correct {field}; schemas/ holds the schema of every field" },
  ADM_NAME_TOO_LONG: {
    text: "metadata.name has {length} characters; a composition's name has at most {limit}",
    remedy: "choose a name of at most {limit} characters",
  },
  ADM_FIELDS: { text: "{field}: {detail}", remedy: "change {field}, or what it contradicts" },
  ADM_DURATION: {
    text: "spec.duration {actual} is no duration",
    remedy: "write it as 3h, 90m, 1d12h or ISO 8601 (PT3H)",
  },
  ADM_TIME: { text: "{field} {actual} is no RFC 3339 time", remedy: "write it as 2026-12-31T18:00:00Z" },
  ADM_DEADLINE_PAST: {
    text: "spec.deadline {actual} is in the past (now {now})",
    remedy: "choose a later deadline, or leave it out to start now",
  },
  ADM_DEADLINE_TOO_SHORT: {
    text: "spec.deadline {actual} comes before now + duration ({earliest})",
    remedy: "choose a deadline of {earliest} or later, or a shorter duration",
  },
  ADM_START_IMPOSSIBLE: {
    text: "spec.schedulingTime {actual} is later than the deadline less the duration ({latest})",
    remedy: "choose a start of {latest} or earlier, or leave schedulingTime out",
  },
  ADM_START_REASON: {
    text: "annotation {annotation} gives no reason to start at once",
    remedy: "say why, e.g. {annotation}: the customer waits, or leave the annotation out",
  },
  ADM_DECISION_FORGED: {
    text: "annotation {annotation} was not written by Landfall for this object",
    remedy: "leave the annotations {annotation} and landfall.dev/seal out; Landfall writes them",
  },
  ADM_DECIDED_FIELD: {
    text: "{field} of a decided object is {actual}, but the decision says {allowed}",
    remedy: "set {field} back to {allowed}, or delete the object and create it anew",
  },
  ADM_MOVE: {
    text: "the change would move an installed release from {from} to {to}",
    remedy:
      'keep the place, or delete the object and create it anew; landfall.dev/allow-move: "true" only decides anew, and few providers move a resource',
  },
  ADM_IMMUTABLE: {
    text: "{field} cannot change from {actual} to {wanted} once it is installed",
    remedy: "set {field} back to {actual}, or delete the object and create it anew",
  },
  ADM_RESIZE_UNSUPPORTED: {
    text: "{provider} cannot change {actual} to {wanted} in place: {detail}",
    remedy: "keep cpu and memory, or delete the object and create it anew",
  },
  // Clusters.
  ADM_POOL_TWICE: { text: "{field}: another pool is called {actual}", remedy: "give every pool a name of its own" },
  ADM_POOL_SIZE: {
    text: "{field}: pool {pool} {detail}",
    remedy: "give a pool either count, or max with a min that is no larger",
  },
  ADM_POOL_TYPES: {
    text: "{field} {detail}",
    remedy: "leave poolInstanceTypes out, or name every pool and no other",
  },
  ADM_CIDR_OVERLAP: {
    text: "{one} overlaps {other}",
    remedy: "choose networks that have no address in common; name all three where one is named",
  },
  ADM_CIDR_SMALL: {
    text: "{field} {actual} is too small for {nodes} nodes",
    remedy: "choose a prefix of {allowed} or shorter, or fewer nodes",
  },
  ADM_POOL_FIXED: {
    text: "{provider} cannot change pool {pool} in place: {detail}",
    remedy: "add a pool as you want it, and remove {pool} when its work has moved",
  },
  ADM_POOL_FIRST: {
    text: "{provider} runs its own services on the first pool, {allowed}, which stays the first",
    remedy: "put pool {allowed} first, and new pools behind it",
  },
  ADM_CLUSTER_FIXED: {
    text: "the installed cluster cannot change: {detail}",
    remedy: "undo the change, or create a cluster as you want it and delete this one when its work has moved",
  },
  ADM_UPGRADE_STEP: {
    text: "{field} {actual} is more than one minor version above the installed {installed}",
    remedy: "upgrade to {allowed} first",
  },
  ADM_DOWNGRADE: {
    text: "{field} {actual} is older than the installed {installed}, and no provider lowers a version",
    remedy: "set {field} back to {installed}, or leave it out",
  },
  // Policy.
  POL_UNKNOWN_PROVIDER: { text: "{field} {actual} is no provider", remedy: "use one of {allowed}" },
  POL_UNKNOWN_REGION: {
    text: "{field} {actual} is no region of {allowed}",
    remedy: "`landfall explain` lists the regions",
  },
  POL_UNKNOWN_ORIGIN: {
    text: "{field} {actual} is no place",
    remedy: "name a place as provider/region, e.g. azure/italynorth",
  },
  POL_UNKNOWN_AREA: {
    text: "{field} names {actual}, which is no area and no country",
    remedy: "use {allowed}",
  },
  POL_NAMESPACE_SETTING: {
    text: "{field} is set to {actual}",
    remedy: "ask the namespace's owner to set it to {allowed}",
  },
  POL_PROVIDER: {
    text: "provider {actual} is not allowed here",
    remedy:
      "name an allowed provider, or leave it out; the platform and the namespace's landfall.dev/providers say which",
  },
  POL_REGION: {
    text: "{actual} is not among the places that the platform allows",
    remedy: "choose another region, or leave schedulingLocation out",
  },
  POL_ELEMENTO_ZONE: {
    text: "{actual} is in a zone of Elemento that is not contracted; contracted: {allowed}",
    remedy: "choose a place in {allowed}, or ask the platform team for a contract (settings.elemento.contracted)",
  },
  POL_ZONE: {
    text: "spec.zone {actual} is no zone of {allowed}",
    remedy: "leave spec.zone out, or name a zone of the region",
  },
  POL_NETWORK_UNPINNED: {
    text: "an existing network is used, but {field} is not set",
    remedy: "set spec.provider and spec.schedulingLocation to where the network is",
  },
  POL_POOLS: { text: "{actual} pools are more than the provider takes", remedy: "use {allowed} pools or fewer" },
  POL_POOL_NODES: {
    text: "{field} may have {actual} nodes, more than the provider takes",
    remedy: "use {allowed} nodes or fewer, and another pool for the rest",
  },
  POL_POOL_EMPTY: {
    text: "{field} may shrink to {actual} nodes, fewer than the provider needs",
    remedy: "set count or min to {allowed} or more",
  },
  POL_KUBERNETES_VERSION: {
    text: "the provider has no Kubernetes {actual}",
    remedy: "use one of {allowed}, or leave kubernetesVersion out",
  },
  POL_KUBERNETES_ENDED: {
    text: "the provider no longer supports Kubernetes {actual}",
    remedy: "use one of {allowed}, or leave kubernetesVersion out",
  },
  POL_GPU: {
    text: "{field}: no region that is left sells a machine with {actual} GPU",
    remedy: "ask for fewer GPUs in a node and more nodes, or loosen provider, region or residency",
  },
  POL_RESIDENCY: {
    text: "the place lies in {actual}, outside {allowed}",
    remedy: "choose a region inside {allowed}, or leave schedulingLocation out",
  },
  POL_LATENCY: {
    text: "the round trip is longer than maxLatency {actual} ms",
    remedy: "raise spec.maxLatency to {allowed}, or leave schedulingLocation out",
  },
  POL_IMAGE: {
    text: "there is no image for {actual} at this provider",
    remedy: "choose another os, or a provider that has it ({allowed})",
  },
  POL_FEATURE: {
    text: "{actual} cannot run this machine: {detail}",
    remedy: "choose another provider ({allowed}), or ask for less",
  },
  POL_CUSTOM: {
    text: "{detail}",
    remedy: "ask the platform team about this rule",
  },
  POL_PLACE_REFUSED: {
    text: "{actual} is refused by a rule of the platform team",
    remedy: "choose another region, or ask the platform team about this rule",
  },
  POL_FLAVOUR: {
    text: "the region offers no machine of this size",
    remedy: "ask for less cpu or memory, or leave schedulingLocation out",
  },
  POL_INSTANCE_TYPE: {
    text: "spec.instanceType {actual} does not fit",
    remedy: "leave instanceType out, or name one with at least {allowed}",
  },
  POL_QUOTA: {
    text: "the namespace has no room for this: {actual} asked, {allowed} left",
    remedy:
      "ask for at most {allowed} in {field}, delete what is no longer needed, or ask the platform team for a larger quota",
  },
  POL_QUOTA_UNCHECKED: {
    text: "what the namespace holds already is not known here, so its quotas were not checked",
    remedy: "nothing to do: the webhook checks them when the object is applied",
  },
  POL_NAMING: { text: "{field} {actual} does not match {allowed}", remedy: "choose a name that matches {allowed}" },
  POL_VM_NAME_TAKEN: { text: "the machine's name {actual} is taken", remedy: "choose another vmName, or leave it out" },
  POL_EXEMPTED: {
    text: "exempt from a rule for a time",
    remedy: "nothing to do; before it ends, make the object pass by itself or have the exemption renewed",
  },
  POL_EXEMPTION_EXPIRED: {
    text: "an exemption ended on {actual}",
    remedy: "make the object pass by itself, or ask the platform team to renew the exemption",
  },
  POL_ORIGIN_DEFAULT: {
    text: "maxLatency is measured from the platform's origin",
    remedy: "set spec.origin to where the machine is used from",
  },
  POL_LATENCY_ESTIMATED: {
    text: "some round trips are estimated from the distance",
    remedy: "nothing to do: an estimate is an upper bound",
  },
  POL_PRICE_UNKNOWN: {
    text: "some places have no published price",
    remedy: "nothing to do: they rank behind those with a price",
  },
  POL_SETTINGS: {
    text: "bundle {ref}: settings {field}: {detail}",
    remedy: "correct landfall/settings/data.yaml; docs/reference/settings.md lists every setting",
  },
  POL_EVALUATION: {
    text: "the policy bundle failed while it was evaluated: {detail}",
    remedy: "tell the platform team; `landfall explain` with the same object shows it without a cluster",
  },
  POL_RESULT: {
    text: "the policy bundle answered in a shape that Landfall does not know: {detail}",
    remedy: "tell the platform team; schemas/policy-result.schema.json is the contract",
  },
  PLACEMENT_NONE: { text: "no region can run this {noun}", remedy: "loosen one of the limits named below" },
  PLACEMENT_BUDGET: {
    text: "the budgets leave no room for this in {places}",
    remedy:
      "allow a later deadline or more regions, or ask the platform team for a larger budget (settings.schedule.budgets)",
  },
  // Forecasts of carbon intensity. None of these denies anything: the next source answers, and the decision says so.
  FORECAST_SETTINGS: {
    text: "the forecast settings {file}: {detail}",
    remedy: "correct the file; docs/operations/forecasts.md lists every setting",
  },
  FORECAST_PENDING: { text: "{source} has not answered yet", remedy: "nothing to do: it is asked in the background" },
  FORECAST_AWAY: { text: "{source} does not answer: {detail}", remedy: "check its url, the network and the service" },
  FORECAST_STATUS: {
    text: "{source} refused the request: HTTP {status} {detail}",
    remedy: "check its url, token and plan; what an HTTP 5xx or 429 means its own log says",
  },
  FORECAST_ANSWER: {
    text: "{source} answered what is no forecast: {detail}",
    remedy: "check that its url names the service that its type says",
  },
  FORECAST_GAP: {
    text: "the figures of {source} for {zone} are not evenly spaced: see {time}",
    remedy: "give a figure for every step, without gaps",
  },
  FORECAST_VALUE: {
    text: "{source} says {value} gCO2eq/kWh for {zone} at {time}, outside 0 to {limit}",
    remedy: "correct the source, or raise maxIntensity of the forecast settings",
  },
  FORECAST_BAND: {
    text: "the error band of {source} for {zone} at {time} does not hold its figure: {value}, but low {low} and high {high}",
    remedy: "give low, the figure and high in order of size",
  },
  FORECAST_ZONE: {
    text: "{source} has no forecast for zone {zone}",
    remedy: "add the zone to the source, or name a further source in the forecast settings",
  },
  FORECAST_STALE: {
    text: "the forecast of {source} for {zone} of {issued} is {hours} h old",
    remedy: "see why it is not renewed (/status of the webhook), or raise its maxAgeHours",
  },
  FORECAST_CLOCK: {
    text: "the forecast of {source} for {zone} was made at {issued}, which is in the future (now {now})",
    remedy: "set the clock of this machine, or of the source's",
  },
  FORECAST_SHORT: {
    text: "the forecast of {source} for {zone} ends at {until}, before {end}",
    remedy: "nothing to do; a source with a longer horizon may be named further down the forecast settings",
  },
  FORECAST_UNEVEN: {
    text: "no forecast for {zones}: these zones were judged by the climatology of the bundle",
    remedy: "add them to a source of the forecast settings",
  },
  FORECAST_TOKEN: {
    text: "the token of {source} cannot be read from {file}: {detail}",
    remedy: "mount the Secret that holds it, or correct tokenFile",
  },
  FORECAST_FILE: {
    text: "forecast file {file}: {detail}",
    remedy: "docs/operations/forecasts.md shows the columns of a CSV and the fields of a JSON file",
  },
  FORECAST_CIRCUIT: {
    text: "{source} failed {failures} times in a row and is left alone for a while: {detail}",
    remedy: "see /status of the webhook; it is asked again by itself",
  },
  FORECAST_MEASURED: {
    text: "{source} needs measured hours of {zone} from {measured}, which has {hours}",
    remedy: "check the source of measured hours; a model needs at least 24",
  },
  // External schedulers. None of these denies anything: the embedded scheduler answers, and the decision says so.
  SCHEDULER_SETTINGS: {
    text: "the external scheduler cannot be used: {detail}",
    remedy: "give an http or https URL and a budget of 50 to 5000 ms",
  },
  SCHEDULER_AWAY: {
    text: "the external scheduler does not answer: {detail}",
    remedy: "check its URL, the network and the service, or give it a larger budget",
  },
  SCHEDULER_STATUS: {
    text: "the external scheduler answered HTTP {status}",
    remedy: "see the scheduler's own log",
  },
  SCHEDULER_ANSWER: {
    text: "the external scheduler answered what is no schedule: {detail}",
    remedy: "it has to answer {scheduling_time, scheduling_location}; docs/operations/scheduler.md has the contract",
  },
  SCHEDULER_REGION: {
    text: "the external scheduler chose {zone}, which is not among the eligible regions",
    remedy: "correct the scheduler: it may choose only what it is offered",
  },
  SCHEDULER_PAST: {
    text: "the external scheduler chose a start in the past: {start} (now {now})",
    remedy: "correct the scheduler, or the clock of one of the two machines",
  },
  SCHEDULER_LATE: {
    text: "the external scheduler chose {start}; the deadline less the duration, or the horizon, is {latest}",
    remedy: "correct the scheduler: the deadline always wins",
  },
  SCHEDULER_FULL: {
    text: "the external scheduler chose {zone} at {start}, where the budgets leave no room",
    remedy: "nothing to do; the scheduler does not know the budgets",
  },
  SCHEDULER_CIRCUIT: {
    text: "the external scheduler failed {failures} times in a row and is not asked for a while",
    remedy: "see the warnings before for why; it is asked again by itself",
  },
  // Bundles and charts.
  BUNDLE_NONE: {
    text: "no policy bundle is loaded yet",
    remedy: "see /status of the webhook for why; apply again once it is ready",
  },
  BUNDLE_UNREADABLE: {
    text: "bundle {ref} cannot be read: {detail}",
    remedy: "build it anew with `landfall bundle build`",
  },
  BUNDLE_NO_ENTRYPOINT: {
    text: "bundle {ref} has no entrypoint {entrypoint}",
    remedy: "build it with `landfall bundle build`, which names the entrypoint",
  },
  BUNDLE_BUILTIN: {
    text: "bundle {ref} calls {detail}, which the WASM runtime lacks",
    remedy: "replace the call; policies/capabilities.json lists what there is",
  },
  BUNDLE_DATA: {
    text: "bundle {ref}: data of the wrong shape: {detail}",
    remedy: "run `npm run generate` and build again",
  },
  BUNDLE_PROBE: { text: "bundle {ref} loads, but its probe fails: {detail}", remedy: "run `opa test policies/bundle`" },
  BUNDLE_SMOKE: {
    text: "bundle {ref} answers its own smoke input wrongly: {name}: {detail}",
    remedy: "correct the policy, or policies/bundle/landfall/smoke/data.yaml where the expectation has changed",
  },
  BUNDLE_SLOW: {
    text: "bundle {ref} takes {actual} ms for a decision; the limit is {limit} ms",
    remedy: "look things up by key instead of scanning, or raise limits.decisionMs of the bundle settings",
  },
  BUNDLE_CANARY: {
    text: "bundle {ref} denies {denied} of {asked} live objects that the last one allowed, e.g. {example}",
    remedy: "see `landfall impact --bundle {ref}`; raise canary.share of the bundle settings where that is meant",
  },
  BUNDLE_LOOPS: {
    text: "bundle {ref} did not load within {limit} ms, or its thread ended: {detail}",
    remedy: "look for a rule that never ends; `landfall explain --bundle` with the same bundle shows it",
  },
  BUNDLE_STALE: {
    text: "the registry has been out of reach for {hours} hours; the platform refuses decisions by a bundle that old",
    remedy: "bring the registry back; /status of the webhook says what is wrong with it",
  },
  BUNDLE_BUILD: { text: "the bundle does not build: {detail}", remedy: "correct the policy that opa names" },
  BUNDLE_TEST: { text: "the policies' own tests fail: {detail}", remedy: "run `opa test` with the same folder" },
  BUNDLE_REFERENCE: {
    text: "{ref} is neither a file nor a reference of an image",
    remedy: "name an existing file, or write host[:port]/repository[:tag][@sha256:digest]",
  },
  BUNDLE_REGISTRY: {
    text: "the registry refused {ref}: {detail}",
    remedy: "check the reference",
  },
  BUNDLE_REGISTRY_AUTH: {
    text: "the registry refused the credentials for {ref}: {detail}",
    remedy: "check the docker configuration (DOCKER_CONFIG, ~/.docker/config.json)",
  },
  BUNDLE_REGISTRY_TLS: {
    text: "the certificate of the registry of {ref} is not trusted: {detail}",
    remedy: "renew it, give its CA with --ca, or check this machine's clock",
  },
  BUNDLE_REGISTRY_BUSY: {
    text: "the registry has had too many requests for {ref}; it asks for a pause of {seconds} s",
    remedy: "nothing to do if it is tried again; else poll less often",
  },
  BUNDLE_REGISTRY_SLOW: {
    text: "the registry did not answer in time for {ref}",
    remedy: "check the registry and the network",
  },
  BUNDLE_REGISTRY_AWAY: {
    text: "the registry of {ref} does not answer: {detail}",
    remedy: "check the host name, the port and the network",
  },
  BUNDLE_LIMIT: {
    text: "bundle {ref} is refused: {detail}",
    remedy: "make it smaller; no bundle is loaded that could fill the memory",
  },
  BUNDLE_UNSAFE: {
    text: "bundle {ref} is refused: {detail}",
    remedy: "build it anew with `landfall bundle build`; a bundle holds plain files with relative names only",
  },
  BUNDLE_TAMPERED: {
    text: "{ref} was changed after it was pushed: {detail}",
    remedy: "do not use it; push the bundle again and find out who can write to the registry",
  },
  BUNDLE_UNSIGNED: {
    text: "{ref} has no signature",
    remedy: "sign it with `landfall bundle push --key` or `cosign sign`, or set signatures: optional",
  },
  BUNDLE_SIGNATURE: {
    text: "{ref} is signed, but by nobody who is trusted here: {detail}",
    remedy: "sign it with a trusted key or identity, or add the signer's to the settings",
  },
  BUNDLE_ROOTS: {
    text: "bundle {ref} claims {root}, which belongs to bundle {other} ({theirs})",
    remedy: "give each path to one bundle; the platform hands data over with dataImages.replaceable of its settings",
  },
  BUNDLE_NAME: {
    text: "bundle {ref} is {actual}, not {wanted} as the bundle settings have it",
    remedy: "build it with the name and kind of the settings, or correct the reference",
  },
  BUNDLE_REQUIRED: {
    text: "bundle {name} is required and has not been loaded yet",
    remedy: "see /status of the webhook for why; apply again once it is ready",
  },
  BUNDLE_ABSENT: {
    text: "bundle {name} is set up, but was never loaded; this was decided without it",
    remedy: "see /status of the webhook for why",
  },
  BUNDLE_DATA_STALE: {
    text: "the data of bundle {name} is of {date}, {hours} hours old; the limit is {limit} hours",
    remedy: "publish newer data; dataImages of the settings has the limit and what is done about it",
  },
  BUNDLE_KEY: { text: "the key {file} cannot be used: {detail}", remedy: "give an ECDSA P-256 or RSA key as PEM" },
  BUNDLE_SETTINGS: {
    text: "the bundle settings {file} cannot be used: {detail}",
    remedy: "schemas/bundle-settings.schema.json says what they may hold",
  },
  REL_CHART_UNREADABLE: {
    text: "chart {chart} cannot be read: {detail}",
    remedy: "check spec.chart of the CompositionDefinition",
  },
  REL_CHART_SCHEMA: {
    text: "chart {chart}: its values.schema.json makes no CRD: {detail}",
    remedy: "run `npm run check` in the chart's project",
  },
  REL_CHART_TAKEN: {
    text: "{ref} is another chart of the same name and version",
    remedy: "raise version in Chart.yaml: what was published stays as it is",
  },
  REL_CHART_PUSH: { text: "chart {ref} cannot be pushed: {detail}", remedy: "check the address and the docker login" },
  REL_RENDER: { text: "chart {chart} does not render: {detail}", remedy: "run `landfall plan` with the same object" },
  REL_HELM: { text: "helm {action} of {release} failed: {detail}", remedy: "see the controller's log; it tries again" },
  REL_RELEASE_TAKEN: {
    text: "the label krateo.io/release-name says {label}, but helm's release {label} belongs to {owner}; this object's release is {release}",
    remedy: "nothing to do: the label is corrected; leave it out of copies of an object",
  },
  REL_RELEASE_LABEL: {
    text: "the label krateo.io/release-name said {label}, but this object's release is {release}",
    remedy: "nothing to do: the label is corrected; a release cannot be renamed",
  },
  REL_RELEASE_FOREIGN: {
    text: "helm's release {release} in {namespace} belongs to {owner}: it is neither upgraded nor uninstalled for this object",
    remedy: "make this object anew, which gives it another release, or remove that release if nobody needs it",
  },
  REL_OBJECT_TAKEN: {
    text: "{kind} {name} is there already and belongs to {holder}",
    remedy: "give this object another name, or another vmName where it has one: each resource belongs to one object",
  },
  REL_OBJECT_ORPHANED: {
    text: "{kind} {name} is there already, of helm's release {release}, which an earlier object of this name left",
    remedy: "label this object krateo.io/release-name={release} to take that release over, or uninstall it by helm",
  },
  REL_OBJECT_LOST: {
    text: "{kind} {name} of this object was taken over by {holder}; nothing of this object is changed any more",
    remedy: "delete this object, which leaves that resource alone, and apply it under another name or vmName",
  },
  REL_PROVIDER_TERMINAL: {
    text: "{kind} {name}: {detail}",
    remedy: "the provider will not try again: correct the object",
  },
  REL_PROVIDER_RETRY: { text: "{kind} {name}: {detail}", remedy: "the provider tries again; nothing to do yet" },
  CLUSTER_CONFIG: {
    text: "the cluster of {source} cannot be reached like this: {detail}",
    remedy: "name a kubeconfig whose current context has a cluster and a user, or run in a Pod with a service account",
  },
  REL_API: { text: "the API server refused {action}: {detail}", remedy: "see the message; the controller tries again" },
  REL_API_AWAY: {
    text: "the API server does not answer {action}: {detail}",
    remedy: "nothing to do: the controller goes on when it is back",
  },
  REL_DELETE_BLOCKED: {
    text: "waiting for {kind} {name} to be gone: {detail}",
    remedy: "see the resource's own conditions and finalizers",
  },
  REL_DEADLINE_MISSED: {
    text: "{kind} {name} starts at {started}, so that its run ends {by} after its deadline {deadline}",
    remedy: "remove it where a late result is worth nothing; see why no controller ran at its start",
  },
  REL_DRIFT: {
    text: "{detail} differs from the release and came back after an upgrade",
    remedy: "undo the change there, or change the object instead",
  },
  // Elemento's API. `operation` is a call of the client; `detail` holds no user data, password or token.
  ELEMENTO_ACCOUNT: {
    text: "Secret {secret} is no account of Elemento: {detail}",
    remedy: "create or correct the Secret: keys username, password and url (docs/operations/elemento-operator.md)",
  },
  ELEMENTO_SECRET: {
    text: "Secret {secret}, which {object} names, {detail}",
    remedy: "create the Secret in the object's namespace, or name another one",
  },
  ELEMENTO_AWAY: {
    text: "Elemento's {service} service does not answer {operation}: {detail}",
    remedy: "check the service's address and health; it is asked again",
  },
  ELEMENTO_UNCERTAIN: {
    text: "whether Elemento did {operation} is not known: {detail}",
    remedy: "nothing to do: it is looked up before it is tried again",
  },
  ELEMENTO_BUSY: {
    text: "Elemento's {service} service takes no more requests of this account for {seconds} s ({operation})",
    remedy: "nothing to do: requests wait; lower the rate limit of the account if it happens often",
  },
  ELEMENTO_FAILED: {
    text: "Elemento failed at {operation}: {reason} (HTTP {status}) {detail}",
    remedy: "nothing to do yet: it is tried again; tell Elemento if it lasts",
  },
  ELEMENTO_ANSWER: {
    text: "Elemento's answer to {operation} is not understood: {detail}",
    remedy:
      "check that the address is Elemento's; docs/internals/elemento-api.md says what is expected, and where to change it",
  },
  ELEMENTO_LOGIN: {
    text: "Elemento refuses the account's login: {detail}",
    remedy: "correct username and password in the account's Secret",
  },
  ELEMENTO_SESSION: {
    text: "Elemento ended the session again right after a login ({operation})",
    remedy: "nothing to do: it logs in again; see whether somebody else uses the same client daemons",
  },
  ELEMENTO_FORBIDDEN: {
    text: "the account may not do {operation} at Elemento: {detail}",
    remedy: "let Elemento grant it, or use another account",
  },
  ELEMENTO_REFUSED: {
    text: "Elemento refuses {operation}: {reason} {detail}",
    remedy: "correct the object; the same request is refused again",
  },
  ELEMENTO_CONFLICT: {
    text: "Elemento refuses {operation} because of what is there already: {reason} {detail}",
    remedy: "choose another name or address range, or delete what is in the way",
  },
  ELEMENTO_NOT_FOUND: {
    text: "Elemento knows nothing of what {operation} names: {reason} {detail}",
    remedy: "check the ids that the object names",
  },
  ELEMENTO_IN_USE: {
    text: "Elemento cannot do {operation} while it is in use: {detail}",
    remedy: "nothing to do: it waits until what uses it is gone",
  },
  ELEMENTO_TOO_EARLY: {
    text: "Elemento cannot do {operation} in the present state: {detail}",
    remedy: "nothing to do: it is tried again when the state has changed",
  },
  ELEMENTO_CAPACITY: {
    text: "Elemento has no room for {operation}: {reason} {detail}",
    remedy: "wait, ask Elemento for a higher limit, or choose another provider, region or size",
  },
  // The machine.
  TOOL_MISSING: {
    text: "{tool} {version} is not on the PATH and cannot be built: {detail}",
    remedy: "install Go 1.26 or newer (https://go.dev/doc/install), or put {tool} {version} on the PATH",
  },
  TOOL_BUILD: { text: "building {tool} {version} failed: {detail}", remedy: "see {log}" },
  TOOL_FAILED: { text: "{tool} failed: {detail}", remedy: "read its output above" },
  LOCAL_PROCESS_DIED: { text: "{process} ended: {detail}", remedy: "see {log}" },
  LOCAL_NOT_READY: { text: "{process} was not ready after {seconds} s", remedy: "see {log}" },
  LOCAL_NO_PORT: {
    text: "no free port between {lowest} and {highest} on 127.0.0.1",
    remedy: "end what listens there, or allow this process to listen on the loopback address",
  },
  LOCAL_RUNNING: {
    text: "local mode runs already in {folder} (process {pid})",
    remedy: "end it with Ctrl-C, or choose another folder with --dir",
  },
  LOCAL_INTERRUPTED: { text: "local mode was ended by {signal}", remedy: "start it again" },
  LOCAL_APPLY: {
    text: "the local API server did not accept {object}: {detail}",
    remedy: "correct the manifest and start again",
  },
  LOCAL_BENCH: { text: "the benchmark stopped: {detail}", remedy: "see the lines above; nothing was measured" },
  LOCAL_EXAMPLE: {
    text: "example {file}: {detail}",
    remedy: "docs/internals/local-mode.md says what an example holds",
  },
  CLI_METADATA: { text: "{file}: {detail}", remedy: "correct it: the API server refuses the object as it is" },
  CLI_PORT: {
    text: "nothing can listen on port {port}: {detail}",
    remedy: "give another port with {option}, or end what listens there",
  },
  CLI_INPUT: {
    text: "{file}: {detail}",
    remedy: "give a YAML or JSON file with the objects that the command takes, or - for standard input",
  },
  CLI_CASE: {
    text: "{file}: {detail}",
    remedy: "correct the case; schemas/policy-case.schema.json has every field",
  },
  CLI_KIND: {
    text: "the cluster does not serve {kind} of {apiVersion}",
    remedy: "install Landfall's charts there, or use the version that `kubectl api-resources` shows",
  },
  CLI_SCAFFOLD_NAME: { text: "{name} is no name of a {what}", remedy: "choose another: {allowed}" },
  CLI_SCAFFOLD_EXISTS: {
    text: "{file} is there already{others}; nothing was written",
    remedy: "choose another name or folder, or move away what is there",
  },
  CLI_SCAFFOLD_WRITE: {
    text: "cannot write into {folder}: {detail}",
    remedy: "choose a folder that can be written; nothing was left half-written",
  },
  CLI_USAGE: { text: "{detail}", remedy: "see `landfall --help`" },
  // The simulator.
  SIM_FILE: { text: "cannot read {file}: {detail}", remedy: "give a CSV file as docs/guides/simulate.md describes it" },
  SIM_COLUMN: {
    text: "{file} has no column {missing}",
    remedy: "begin with the line id,arrival,cpu,memory,durationHours,deadline,maxLatency,origin,dataResidency",
  },
  SIM_EMPTY: { text: "{file} holds no job", remedy: "give at least one line below the header" },
  SIM_VALUE: { text: "line {line}, {column} {actual}: expected {wanted}", remedy: "correct {column} in line {line}" },
  SIM_DEADLINE: {
    text: "line {line}, job {id}: the deadline {deadline} comes before arrival + duration",
    remedy: "give a later deadline or a shorter duration",
  },
  SIM_ORIGIN: {
    text: "line {line}: the origin {origin} is no place whose electricity has an hourly series",
    remedy: "name a place as provider/region, e.g. azure/italynorth",
  },
  SIM_OUTSIDE: {
    text: "job {id} lies outside the recorded hours ({from} to {to})",
    remedy: "move its arrival and its run into them",
  },
  SIM_NO_PLACE: {
    text: "job {id} may run nowhere: {detail}",
    remedy: "loosen its maxLatency or dataResidency, or make it smaller",
  },
  SIM_SERIES: {
    text: "there is no usable hourly series of {year}: {detail}",
    remedy: "use --year 2022, or make the file again with node scripts/generate.ts carbon-series",
  },
  SIM_HOURS: {
    text: "the measured hours of {file} cannot be replayed: {detail}",
    remedy: "give a figure for every full hour of at least two days, the same ones for each zone",
  },
  SIM_OPTIONS: { text: "{detail}", remedy: "see landfall simulate --help" },
  // kOps.
  KOPS_MANIFEST: {
    text: "{file}: {detail}",
    remedy: "give what `kops get NAME -o yaml` prints: one Cluster with its InstanceGroups, of kops.k8s.io/v1alpha2",
  },
  KOPS_FIELD: { text: "{object}, {field}: {detail}", remedy: "correct {field} in the manifest" },
  KOPS_PROVIDER: {
    text: "{object} is for {provider}; kOps manifests are mapped for aws and elemento",
    remedy: "use a cluster of aws or elemento; an export takes --provider where the object names none",
  },
  KOPS_KIND: { text: "{object} is no KaasCluster", remedy: "give a file with KaasClusters alone" },
  KOPS_DENIED: {
    text: "{object} is no valid KaasCluster: {detail}",
    remedy: "correct what is named there, and see docs/guides/kops.md for what maps",
  },
  KOPS_GROUP: { text: "{object} {detail}", remedy: "give the manifests of one cluster, each once" },
  KOPS_MACHINE: {
    text: "{object} has the machine type {type}: {detail}",
    remedy: "use a type that `landfall explain` can choose (catalog/), or a flavour of Elemento",
  },
  KOPS_SUBNET: { text: "{object} {detail}", remedy: "name only subnets that are in spec.subnets of the Cluster" },
  KOPS_ZONE: { text: "{detail}", remedy: "name zones of one region that Landfall's catalog has (catalog/places.json)" },
  KOPS_SSH_KEY: {
    text: "{file} holds no public SSH key",
    remedy: "give the .pub file of a key, one line in OpenSSH's format",
  },
  KOPS_NO_SSH_KEY: {
    text: "no SSH credential is written, for the object holds no key",
    remedy: "give --ssh-public-key FILE; kOps for Elemento wants exactly one",
  },
  KOPS_NO_STATE: {
    text: "spec.configBase is left out, for the object names no state store",
    remedy: "give --state s3://BUCKET, here or to kops",
  },
  KOPS_NOT_MAPPED: {
    text: "{path} ({value}) is left behind: {reason}",
    remedy: "see docs/guides/kops.md for what maps",
  },
  KOPS_CHANGED: {
    text: "{path} ({value}) becomes {became}: {reason}",
    remedy: "see docs/guides/kops.md for how it maps",
  },
  KOPS_COMMAND: {
    text: "{path} ({value}) has no flag of `kops create cluster`",
    remedy: "use the manifests instead of --command, or change the cluster with `kops edit` afterwards",
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorParams = Readonly<Record<string, string | number>>;

function fill(template: string, params: ErrorParams): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}

/** The text and the remedy of `code` with the parameters filled in. */
export function describe(code: ErrorCode, params: ErrorParams = {}): { message: string; remedy: string } {
  const entry: ErrorEntry = ERRORS[code];
  return { message: fill(entry.text, params), remedy: fill(entry.remedy, params) };
}

/** The one error class of the project: a code of the registry, its text, and what caused it. */
export class LandfallError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string;
  readonly params: ErrorParams;

  constructor(code: ErrorCode, params: ErrorParams = {}, cause?: unknown) {
    const { message, remedy } = describe(code, params);
    super(message, cause === undefined ? undefined : { cause });
    this.name = "LandfallError";
    this.code = code;
    this.remedy = remedy;
    this.params = params;
  }

  /** One line for a person: what is wrong, what to do, and the code to search for. */
  get line(): string {
    return `${this.message}; ${this.remedy} [${this.code}]`;
  }
}

/** Makes an `Error` of whatever was thrown; libraries at the boundary throw strings and plain objects too. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error(typeof thrown === "string" ? thrown : JSON.stringify(thrown), { cause: thrown });
}

/** The message of whatever was thrown. */
export const messageOf = (thrown: unknown): string => toError(thrown).message;
