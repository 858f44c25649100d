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
    text: "the body is not an AdmissionReview of admission.k8s.io/v1: {detail}",
    remedy: "call this path only from a webhook configuration with admissionReviewVersions [v1]",
  },
  ADM_BODY_TOO_LARGE: { text: "the body is larger than {limit} bytes", remedy: "make the object smaller; user data is usually the largest part" },
  ADM_OBJECT_TOO_LARGE: {
    text: "the object has {actual} {unit}; the limit is {limit}",
    remedy: "make the object smaller; reference/vmtemplate.md and reference/kaascluster.md list the limits of every field",
  },
  ADM_INPUT_REFUSED: {
    text: "an object with this content ended the decision process ({detail}); it is refused until {until}",
    remedy: "change the object; tell the platform team the code and the time, because a rule may loop on this content",
  },
  ADM_NAMESPACE_HELD: {
    text: "objects of namespace {namespace} ended the decision process {count} times ({detail}); the namespace is refused until {until}",
    remedy: "apply the objects one by one after that time, to find the one that fails; if the text names a bundle, its team can correct the rules",
  },
  ADM_OWNER_HELD: {
    text: "objects of several namespaces of the owner of namespace {namespace} ended the decision process {count} times ({detail}); they are refused until {until}",
    remedy: "apply the objects one by one after that time, to find the one that fails; if the text names a bundle, its team can correct the rules",
  },
  ADM_USER_HELD: {
    text: "objects that {user} sent to several namespaces ended the decision process {count} times; this user is refused until {until}",
    remedy: "apply the objects one by one after that time, to find the one that fails with ADM_TIMEOUT",
  },
  ADM_NOT_AUDITED: {
    text: "not audited: objects of namespace {namespace} ended {count} processes of this scan",
    remedy: "look in the report for objects with ADM_TIMEOUT, ADM_INTERNAL or POL_TEAM, and correct them or the rules",
  },
  ADM_AUDIT_SHARE: {
    text: "not audited: the objects of namespace {namespace} are too large together for a scan",
    remedy: "delete those that you no longer need, or their long annotations; landfall audit looks at all",
  },
  ADM_BUSY: { text: "too many requests {scope} wait for a decision", remedy: "nothing to do: clients that follow Retry-After, such as kubectl, repeat the request" },
  ADM_UNSEEN: {
    text: "the webhook has not seen {count} objects or changes that it admitted, and admits no more until it sees them",
    remedy: "check that the webhook may list and watch the objects; clients that follow Retry-After, such as kubectl, repeat the request",
  },
  ADM_UNSTORED: {
    text: "the API server did not store {count} objects of namespace {namespace} that were admitted in the last ten minutes; changes that take places are refused until {until}",
    remedy: "find what refuses the objects after admission, for instance with kubectl describe resourcequota, and correct it; then apply them again after that time",
  },
  ADM_LEDGER: {
    text: "what the object takes of a quota or budget cannot be written for the other replicas of the webhook: {detail}",
    remedy:
      "clients that follow Retry-After, such as kubectl, repeat the request; if it stays, check that the CRD placementledgers.landfall.dev exists and that the webhook may write its objects",
  },
  ADM_LEDGER_LOST: {
    text: "a PlacementLedger was deleted or changed by someone else, so objects that count in quotas and budgets may be unknown until {until}",
    remedy: "repeat the request after that time; leave the PlacementLedgers of Landfall's namespace to the webhook",
  },
  ADM_CONFLICT: {
    text: "{kind} {name} is stored with another resourceVersion than this update names",
    remedy: "read the object again, and make the change to that version",
  },
  ADM_EXISTS: {
    text: "there already is a {kind} {name} in namespace {namespace}",
    remedy: "change it with kubectl apply, or give the new object another name",
  },
  ADM_NAME_EXISTS: {
    text: "there is, or was a moment ago, a {kind} {name} in namespace {namespace}",
    remedy: "nothing to do now: clients that follow Retry-After, such as kubectl, repeat the request, and then it passes or says that the object exists",
  },
  ADM_RESERVATION_LATE: {
    text: "{kind} {name} reached the last check too long after its decision, and its place is no longer reserved",
    remedy: "repeat the request; if it stays, find the admission webhook that takes more than ten seconds",
  },
  ADM_SIGNING_KEY: {
    text: "the signing key {file} cannot be used: {detail}",
    remedy:
      "restore the Secret landfall-signing-keys, or the folder of --signing-keys, from a backup. If there is none, delete it, restart the webhook, which makes a new key, and run landfall keys resign --lost: earlier decisions are not valid until then",
  },
  ADM_TLS: {
    text: "the certificate of the webhook in {where} cannot be used: {detail}",
    remedy:
      "restore tls.crt, tls.key and ca.crt there; of the Secret that Landfall made, ca.crt and ca.key are enough. Or delete that Secret: a running webhook puts it back, or the next one makes a new CA",
  },
  ADM_TOKEN_FILE: {
    text: "the token file {file} of {option} cannot be used: {detail}",
    remedy: "write the token into it as one line of visible ASCII characters; if it is mounted from a Secret, correct the Secret, then restart the webhook",
  },
  ADM_INSTALLED: {
    text: "{kind} {name} belongs to the installation of Landfall in namespace {other}, and a cluster can have one",
    remedy: "uninstall the other one, or this one; if the other one is gone already, delete {kind} {name}",
  },
  ADM_STARTING: {
    text: "the webhook has not read the cluster's namespaces and objects yet",
    remedy: "nothing to do: clients that follow Retry-After, such as kubectl, repeat the request",
  },
  ADM_NAMESPACE_UNKNOWN: {
    text: "the webhook does not know namespace {namespace} yet, so its rules cannot be applied",
    remedy: "apply the object again; if the error repeats, check that the webhook may get and watch namespaces",
  },
  ADM_RESTARTING: {
    text: "the decision process is being restarted",
    remedy: "nothing to do: clients that follow Retry-After, such as kubectl, repeat the request",
  },
  ADM_UNKNOWN_KIND: {
    text: "Landfall does not decide {kind}",
    remedy: "remove {kind} from the webhook's rules; Landfall decides VmTemplate and KaasCluster of composition.krateo.io",
  },
  ADM_UNKNOWN_VERSION: { text: "{kind} has no version {version}", remedy: "use apiVersion {known}" },
  ADM_CLIENT_CERTIFICATE: {
    text: "the caller did not present a certificate that this webhook trusts",
    remedy:
      "configure a client certificate for the API server in its AdmissionConfiguration; if it has one that ended, renew it (docs/operations/clusters/k3s.md#renew-the-certificate)",
  },
  ADM_DOOR: {
    text: "--door {door} {detail}",
    remedy: "give both options; or, where the API server shows no certificate, choose --door none (EKS, GKE, AKS)",
  },
  ADM_CLIENT_CA: {
    text: "--client-ca {file} cannot verify the API server's certificate: {detail}",
    remedy: "give the certificate (PEM) of the CA that signed the API server's client certificate, not that certificate itself (chart: webhook.clientCertificate.ca)",
  },
  ADM_NOT_AUTHENTICATED: {
    text: "the caller showed {shown}, and this webhook answers only {wanted}",
    remedy: "{remedy}",
  },
  ADM_SOURCE_BUSY: {
    text: "{address} sends more than is answered: {detail}",
    remedy: "nothing to do: clients that follow Retry-After, such as kubectl, repeat the request; --source-rate and webhook.sourceRate change the limit",
  },
  ADM_OLD_OBJECT: {
    text: "the stored {kind} {name} is not the one that the request is about: {detail}",
    remedy: "apply the object again",
  },
  ADM_UNDISCLOSED: {
    text: "other objects use up the capacity of namespace {namespace} or of the places that this one may use ({codes}); figures are hidden, because the API server shows this webhook no identity",
    remedy: "ask for less, or ask your platform team, who can see the figures with `landfall audit`",
  },
  ADM_CONFIRMATION: {
    text: "the annotation {annotation} is not a controller's confirmation of this object as it is stored",
    remedy: "remove the annotation: only Landfall's controller writes it",
  },
  ADM_TIMEOUT: { text: "the decision took longer than {limit} ms", remedy: "apply the object again; if the error repeats, check /metrics" },
  ADM_INTERNAL: { text: "the decision failed: {detail}", remedy: "report this error with the webhook's log line of the same request uid" },
  ADM_DECISION_LOG: { text: "the decision log cannot write to {target}", remedy: "write stdout, file:PATH, or an http or https URL" },
  // The object.
  ADM_SCHEMA: { text: "{field}{given} {detail}", remedy: "{correction}" },
  ADM_NAME_TOO_LONG: { text: "metadata.name has {length} characters; the limit for a composition is {limit}", remedy: "choose a name of at most {limit} characters" },
  ADM_METADATA: { text: '{field} "{actual}" is not valid: {detail}', remedy: "correct {field}; the API server refuses the object otherwise" },
  ADM_FIELDS: { text: "{field}: {detail}", remedy: "{correction}" },
  ADM_DURATION: { text: '{field} "{actual}" {detail}', remedy: "{correction}" },
  ADM_TIME: { text: '{field} "{actual}" {detail}', remedy: "{correction}" },
  ADM_DEADLINE_PAST: { text: "spec.deadline {actual} is in the past (now {now})", remedy: "choose a later deadline, or omit it to start now" },
  ADM_DEADLINE_TOO_SHORT: {
    text: "spec.deadline {actual} is before now + time to boot + duration ({earliest})",
    remedy: "choose a deadline of {earliest} or later, or a shorter duration",
  },
  ADM_DEADLINE_BOOT: {
    text: "spec.deadline {actual} leaves no time to boot: at {provider}, a machine that starts at {start} is ready {boot} later, and then runs for {duration}",
    remedy: "choose a deadline of {earliest} or later, or a shorter duration",
  },
  ADM_START_PAST: { text: "{field} {actual} has passed, so the object starts immediately", remedy: "omit schedulingTime, or set a time to come" },
  ADM_DEADLINE_UNUSED: {
    text: "{field} {actual} has no effect without a duration: {start}, and nothing ends it",
    remedy: "add duration, for example duration: 3h",
  },
  ADM_START_IMPOSSIBLE: {
    text: "spec.schedulingTime {actual} is later than the deadline minus the duration and the time to boot ({latest})",
    remedy: "choose a start of {latest} or earlier, or omit schedulingTime",
  },
  ADM_MEMORY_LARGE: {
    text: "{field} {actual} means {actual} GiB for {cpu} vCPU",
    remedy: "if it is meant in MiB, write {instead}",
  },
  ADM_CPU_LARGE: {
    text: "{field} {actual} means {cpu} vCPU",
    remedy: "if it is meant in millicores, write {instead}",
  },
  ADM_PORTS_PRIVATE: {
    text: "{field} are open, but the machine has no public address",
    remedy: "add network: {publicIP: true}, or connect from its own network",
  },
  ADM_NO_INTERNET: {
    text: "{field}: a machine of {provider} without a public address reaches nothing outside of its network, so its user data can download nothing",
    remedy: "add network: {publicIP: true}, or use an existing network with NAT",
  },
  ADM_AKS_ROLE: {
    text: "{field}: on Azure, a new cluster has no rights on its network yet, so load balancers of its services stay pending",
    remedy: "give its identity the role Network Contributor once it exists (docs/operations/providers/azure.md#rights-of-a-cluster)",
  },
  ADM_EKS_ACCESS: {
    text: "{field}: on AWS, only the operator's own IAM role can use a new cluster, so its kubeconfig gives no one else access",
    remedy: "give the users' IAM role an access entry once it exists (docs/guides/kaas-cluster.md#access-on-aws)",
  },
  ADM_POD_ADDRESSES: {
    text: "{field} {actual} has few addresses for the pods of {nodes} nodes: on AWS, a node takes about {each} of its subnet, and pods without one never start",
    remedy: "write a prefix of {allowed} or shorter before the cluster is installed, or fewer nodes",
  },
  ADM_ANNOTATION: { text: "{field} {detail}", remedy: "{correction}" },
  ADM_USER_DATA: { text: "{field} {detail}", remedy: "{correction}" },
  ADM_NO_LOGIN: { text: "{field} opens 22, but no user can log in", remedy: "add sshPublicKey, or create a user with userData" },
  ADM_POOL_SPREAD: {
    text: "{field}: pool {pool} can begin with {fewer} nodes, not {least}: {provider} has the same number of nodes in each of its {zones} zones, and adds others when pods wait for them",
    remedy: "write count: {even} for {even} nodes from the start",
  },
  ADM_POOL_ONE_ZONE: {
    text: "{field}: pool {pool} is not highly available: of the zones of {place}, only {zone} has its machine type {type}",
    remedy: "name another type in poolInstanceTypes, or another region, for nodes in several zones",
  },
  ADM_SECURITY_GROUPS: {
    text: "{field} has {actual} groups, and spec.ports adds the machine's own: EC2 allows 5 for each network interface unless the quota is raised, and would refuse the machine",
    remedy: "remove a group, or open the ports in one of these groups and remove spec.ports",
  },
  ADM_SECURITY_RULES: {
    text: "{field} gives {actual} rules, one for each entry and network: EC2 allows 60 in a security group unless the quota is raised, and refuses all rules of a new group that has more",
    remedy: "open fewer ports, as a range with toPort, or to fewer and wider networks, or name another provider",
  },
  ADM_GPU_FIGURES: {
    text: "{field}: the figures of CO2e count processors and memory of the nodes, not their GPUs",
    remedy: "compare places by them, but do not report them as the cluster's emissions",
  },
  ADM_MAX_WAIT_UNUSED: { text: "spec.maxWait {actual} has no effect: {detail}", remedy: "write {allowed}, or omit maxWait" },
  ADM_WAITING_COST_UNUSED: {
    text: "spec.waitingCostPercent {actual} has no effect: {detail}",
    remedy: "write {allowed}, or omit waitingCostPercent",
  },
  ADM_INTERRUPTIBLE_UNUSED: {
    text: "spec.interruptible has no effect: {detail}",
    remedy: "write {allowed}, or omit interruptible",
  },
  ADM_START_FAR: {
    text: "{field} {actual} is {days} days ahead",
    remedy: "if another year is meant, write schedulingTime: {allowed}",
  },
  ADM_CIDR_PUBLIC: {
    text: "{field} {actual} has addresses of others in the internet, which then cannot be reached from there",
    remedy: "write a private network, e.g. {allowed}",
  },
  ADM_IMAGE_OS: {
    text: "{field} {actual} is not the system of spec.image {image}, which the machine gets",
    remedy: "write os: {allowed}, or remove image",
  },
  ADM_POOLS_TAINTED: {
    text: "{field}: every pool has a taint that keeps the cluster's own services away, such as its DNS, so they may find no node",
    remedy: "add a pool without taints, or write effect: PreferNoSchedule for one of them",
  },
  ADM_START_REASON: {
    text: "annotation {annotation} does not give a reason to start immediately",
    remedy: "give the reason, e.g. {annotation}: the customer waits, or remove the annotation",
  },
  ADM_DECISION_FORGED: {
    text: "Landfall did not write annotation {annotation} for this object",
    remedy: "remove the annotations {annotation} and landfall.dev/seal; Landfall writes them",
  },
  ADM_DELETING: {
    text: "{kind} {name} is being deleted, so neither its spec nor its decision can change",
    remedy: "change only its finalizers, labels and status, or create it again after the deletion",
  },
  ADM_ORPHAN_LATE: {
    text: "{kind} {name} is being deleted, so {annotation}: orphan can no longer be set: no policy would see it",
    remedy: "let the deletion end; set the annotation on an object before it is deleted",
  },
  ADM_DECISION_REPLAYED: {
    text: "annotation {annotation} was written for another object, or at another time",
    remedy: "remove the annotations {annotation} and landfall.dev/seal; Landfall decides the object again",
  },
  ADM_SPEC_CHANGED: {
    text: "the spec of {kind} {name} is not the one that placement.landfall.dev accepted: a mutating webhook changed it afterwards",
    remedy: "let that webhook leave the object's spec alone, or write its value into the manifest; `kubectl get mutatingwebhookconfigurations` lists the webhooks",
  },
  ADM_DECIDED_FIELD: {
    text: "{field} of a decided object is {actual}, but the decision requires {allowed}",
    remedy: "set {field} back to {allowed}, or delete the object and create it again",
  },
  ADM_MOVE: {
    text: "the change would move an installed release from {from} to {to}",
    remedy: 'keep the place, or delete the object and create it again; landfall.dev/allow-move: "true" allows the new decision, but few providers can move a resource',
  },
  ADM_RETAINED: {
    text: "{field}: deletionPolicy: retain would leave {what} at the provider, where no object and no quota counts it",
    remedy: "set deletionPolicy: delete first, wait until the object is Ready with it, then repeat this change",
  },
  ADM_LIFETIME_SHORT: {
    text: "spec.maxLifetime {actual} is shorter than duration {allowed}: the run would be ended before it is done",
    remedy: "write a maxLifetime of at least {allowed}, or a shorter duration",
  },
  ADM_INTERRUPTIBLE: { text: "spec.interruptible {detail}", remedy: "{instead}, or omit interruptible" },
  ADM_COMPLETED: {
    text: "the annotation {annotation} {detail}",
    remedy: "remove it; write succeeded or failed once the run of this object has started, and ask for another run with a new value of landfall.dev/run",
  },
  ADM_RUN_ACTIVE: {
    text: "the annotation {annotation} cannot change before the present run is over and, if they are to be deleted, its resources are gone",
    remedy:
      "report the end of the present run by the annotation landfall.dev/completed: time alone ends none with whenDone: keep, but at maxLifetime. If its resources are to be deleted, wait until status.managed is empty. Or delete the object",
  },
  ADM_RUN_SHORT: {
    text: "the annotation {annotation} asks for another run of {duration} on a machine whose maxLifetime of {maxLifetime} is over at {ends}, before that run is done",
    remedy: "write maxLifetime: {needed} or more, or delete the object and create it again for a new machine",
  },
  ADM_REPAIR: { text: "the annotation {annotation} is {actual}", remedy: "write auto, never or recreate, or remove it" },
  ADM_GLOBAL_LONG: {
    text: "spec.global has {length} characters of JSON; at most {limit} are allowed",
    remedy: "remove spec.global: the composition controller passes these values to the chart itself",
  },
  ADM_RUN_LONG: {
    text: "the annotation {annotation} has {length} characters; at most {limit} are allowed",
    remedy: "write a short value that differs from the last one, for example a number or a date",
  },
  ADM_IMMUTABLE: { text: "{field} cannot change from {actual} to {wanted} after installation", remedy: "set {field} back to {actual}, or delete the object and create it again" },
  ADM_IGNORED: {
    text: "{field} cannot change from {actual} to {wanted}, because nothing would happen at {provider}: {detail}",
    remedy: "set {field} back to {actual}, or delete the object and create it again",
  },
  ADM_LATENCY_DEFAULT: {
    text: "no place within the default of {limit} ms from {origin} can run this object, so the default does not apply",
    remedy: "set maxLatency or dataResidency to say where the object may run",
  },
  ADM_STARTED: { text: "{field} cannot change to {wanted}: the object started at {start}", remedy: "set {field} back to {actual}, or delete the object and create it again" },
  ADM_RESIZE_UNSUPPORTED: {
    text: "{provider} cannot change {actual} to {wanted} in place: {detail}",
    remedy: "keep cpu, memory and instanceType, or delete the object and create it again",
  },
  // Clusters.
  ADM_POOL_TWICE: { text: "{field}: another pool has the name {actual}", remedy: "write another name, e.g. name: {free}" },
  ADM_POOL_SIZE: { text: "{field}: pool {pool} {detail}", remedy: "{correction}" },
  ADM_POOL_TYPES: { text: "{field} {detail}", remedy: "{correction}" },
  ADM_CIDR_OVERLAP: { text: "{one} overlaps {other}", remedy: "{correction}" },
  ADM_CIDR_SMALL: { text: "{field} {actual} is too small for {nodes}", remedy: "write a prefix of {allowed} or shorter, e.g. {example}, or fewer nodes" },
  ADM_POOL_FIXED: { text: "{provider} cannot change pool {pool} in place: {detail}", remedy: "add a pool with the new settings, move the workloads, then remove {pool}" },
  ADM_POOL_LIMITS: {
    text: "{provider} can refuse {to} nodes for pool {pool} permanently, because it may have any number from {from} now",
    remedy: "write count: {count} in place of min and max (or another number from {to}), wait until the cluster is Ready, then write the new limits",
  },
  ADM_POOL_SCALES: {
    text: "{provider} would still scale pool {pool}, whatever its count: its operator leaves what its spec no longer has",
    remedy: "keep min and max, or add a pool with count: {count}, move the workloads, then remove {pool}",
  },
  ADM_POOL_TAINTS: {
    text: "{provider} would keep the taint {key} with the effect {effect} on pool {pool} and never finish: its operator removes a taint only if no other has its key",
    remedy: "remove all taints with the key {key}, wait until the cluster is Ready, then add those that you want",
  },
  ADM_POOL_RENAMED: {
    text: "{field}: pool {from} is gone and pool {to} takes its place: all nodes of {from} are deleted",
    remedy: "write name: {from} to keep them, or announce it with the annotation {annotation}: {from}={to}",
  },
  ADM_POOL_FIRST: { text: "{provider} runs its own services on the first pool, so {allowed} must stay first", remedy: "put pool {allowed} first, and new pools after it" },
  ADM_CLUSTER_FIXED: {
    text: "the installed cluster cannot change: {detail}",
    remedy: "undo the change, or create a second cluster with the change, move the workloads, then delete this one",
  },
  ADM_UPGRADE_STEP: { text: "{field} {actual} is more than one minor version above the installed {installed}", remedy: "upgrade to {allowed} first" },
  ADM_DOWNGRADE: { text: "{field} {actual} is older than the installed {installed}, and providers do not downgrade", remedy: "set {field} back to {installed}, or omit it" },
  ADM_UPGRADE_UNDERWAY: {
    text: "{field} {actual}: {provider} runs {installed}, and its upgrade to {allowed} is not over; providers do not take one back",
    remedy: "wait until it is over: {field} can go back once the condition Ready says that {provider} refuses it",
  },
  // Policy.
  POL_UNKNOWN_PROVIDER: { text: '{field} "{actual}" is not a known provider', remedy: "use one of {allowed}" },
  POL_UNKNOWN_REGION: { text: '{field} "{actual}" is not a region of {allowed}', remedy: "name a region of {allowed}; `landfall places` lists them" },
  POL_UNKNOWN_ORIGIN: { text: '{field} "{actual}" is not a known place, or maxLatency is set without an origin', remedy: "name a place as provider/region, e.g. azure/italynorth" },
  POL_UNKNOWN_AREA: { text: '{field} names "{actual}", which is not a known area or country', remedy: "use {allowed}" },
  POL_NAMESPACE_SETTING: { text: "{field} is set to {actual}", remedy: "ask the namespace's owner to set it to {allowed}" },
  POL_PROVIDER: {
    text: "provider {actual} is not allowed here",
    remedy: "use an allowed provider, or omit spec.provider; the platform's settings and the namespace's annotation landfall.dev/providers list the allowed ones",
  },
  POL_REGION: { text: "{actual} is not a place that the platform and the namespace allow", remedy: "choose another region, or omit schedulingLocation" },
  POL_ELEMENTO_ZONE: {
    text: "{actual} is in an Elemento zone without a contract; zones with a contract: {allowed}",
    remedy: "choose a place in {allowed}, or ask the platform team for a contract (settings.elemento.contracted)",
  },
  POL_ZONE: { text: '{field} "{actual}" is not possible there', remedy: "omit {field}, or use {allowed}" },
  POL_NETWORK_UNPINNED: {
    text: "the object uses an existing network, but {field} is not set",
    remedy: "set spec.provider and spec.schedulingLocation to the place of the network",
  },
  POL_RUN_CONTROLLER: {
    text: "nothing ends a run where Krateo's controller installs",
    remedy: "omit maxLifetime, whenDone and interruptible, and delete the object when it is done",
  },
  POL_RUN_STOP: {
    text: "the operator of the provider cannot stop the machine, or cannot recreate it with its data disks",
    remedy: "omit provider, name one that can, write interruptible.by: recreate, which deletes the machine in each pause, or write whenDone: delete or keep, and no interruptible",
  },
  POL_SPOT: {
    text: "the provider sells no spot machines",
    remedy: "omit provider, name one that sells them, or write capacity: either or on-demand",
  },
  POL_SPOT_STOP: {
    text: "a spot machine cannot be stopped and started by plan: the provider decides whether it has one",
    remedy: "write whenDone: delete or keep and no interruptible, or write capacity: either or on-demand",
  },
  POL_CAPACITY_TYPE: {
    text: "spec.capacityType {actual} is not what spec.capacity allows ({allowed})",
    remedy: "omit capacityType, which admission writes, or correct capacity",
  },
  POL_RUN_RETAINS: {
    text: "deletionPolicy: retain, or krateo.io/deletion-policy: orphan, leaves the machine running at the provider after its end",
    remedy:
      "write deletionPolicy: delete and remove the annotation krateo.io/deletion-policy, or write whenDone: keep without maxLifetime, or whenDone: stop where the provider can",
  },
  POL_RETENTION: {
    text: "objects of the namespace must not leave resources at the provider when they are deleted",
    remedy: "remove {actual}, or ask the platform team to allow it (settings.retention.namespaces)",
  },
  POL_NETWORK_FOREIGN: {
    text: "the namespace is not allowed to use the network {actual}; allowed prefixes: {allowed}",
    remedy: "use a network of the namespace's own project or subscription, or ask the platform team to allow it (settings.networks.allowed)",
  },
  POL_IMAGE_FOREIGN: {
    text: "the namespace is not allowed to use the image {actual} of another project or subscription; allowed prefixes: {allowed}",
    remedy: "write os in place of image, use an image of the namespace's own project, or ask the platform team to allow it (settings.images.allowed)",
  },
  POL_GOOGLE_NAME: {
    text: "{field} {actual} is not a name of Google Cloud with one project",
    remedy: "write one of these forms: {allowed}",
  },
  POL_IMAGE_LICENCE: {
    text: "spec.image {actual} can have a licence by the hour, which limits of prices do not count; allowed prefixes: {allowed}",
    remedy:
      "write os in place of image, omit maxPrice if that is the limit, or ask the platform team to allow the image or the first part of its path, such as publishers/NAME (settings.images.allowed)",
  },
  POL_IMAGE_UNPINNED: {
    text: "spec.image names an image of one region, and spec.schedulingLocation is not set",
    remedy: "set spec.schedulingLocation to the region of the image, or write os in place of image",
  },
  POL_IMAGE_GENERATION: {
    text: "spec.image is an image of generation 1, which Azure's sizes from version 6 on do not boot",
    remedy: "name an image of generation 2, or an instanceType of version 5",
  },
  POL_IMAGE_FAMILY: {
    text: "Config Connector does not recognise the image of this family in a machine that was made from it, and refuses every change of the machine",
    remedy: "name the image itself in spec.image, as in ubuntu-os-cloud/ubuntu-2404-noble-amd64-v20260906, or write os in place of image",
  },
  POL_POOLS: { text: "{actual} pools exceed the provider's limit", remedy: "use {allowed} pools or fewer" },
  POL_POOL_NODES: { text: "{field} allows {actual} nodes, more than the provider's limit", remedy: "use {allowed} nodes or fewer, and a second pool for the rest" },
  POL_POOL_EMPTY: { text: "{field} can shrink to {actual} nodes, but the provider needs more", remedy: "set count or min to {allowed} or more" },
  POL_KUBERNETES_VERSION: { text: "the provider does not offer Kubernetes {actual}", remedy: "use one of {allowed}, or omit kubernetesVersion" },
  POL_KUBERNETES_ENDED: { text: "the provider no longer supports Kubernetes {actual}", remedy: "use one of {allowed}, or omit kubernetesVersion" },
  POL_GPU: {
    text: "{field}: none of the remaining regions offers a machine with {actual} GPUs",
    remedy: "request fewer GPUs per node and more nodes, or relax provider, region or residency",
  },
  POL_RESIDENCY: { text: "the place is in {actual}, outside {allowed}", remedy: "choose a region inside {allowed}, or omit schedulingLocation" },
  POL_LATENCY: {
    text: "the round trip is longer than maxLatency {actual} ms, or is not known",
    remedy: "raise spec.maxLatency to {allowed} if platform and namespace allow it, or omit schedulingLocation",
  },
  POL_IMAGE: { text: "the provider has no image for {actual}", remedy: "choose another os, or a provider that has the image ({allowed})" },
  POL_FEATURE: { text: "{actual} cannot run this machine or cluster: {detail}", remedy: "choose another provider ({allowed}), or omit the feature" },
  POL_CUSTOM: { text: "{detail}", remedy: "ask the platform team about this rule" },
  POL_PLACE_REFUSED: { text: "a rule of the platform team refuses {actual}", remedy: "choose another region, or ask the platform team about this rule" },
  POL_FLAVOUR: { text: "the region does not offer an allowed instance type of this size", remedy: "request less cpu or memory, or omit schedulingLocation" },
  POL_INSTANCE_TYPE: {
    text: "instance type {actual} is not offered, is not allowed, or does not have {allowed}",
    remedy: "omit instanceType, or name one with at least {allowed}",
  },
  POL_MAX_PRICE: {
    text: "no place that remains costs at most {actual} USD per hour",
    remedy: "raise maxPrice to at least the lowest price that is named, or omit it",
  },
  POL_QUOTA: {
    text: "the namespace's quota is exceeded: {actual} more would run, {allowed} left",
    remedy: "request less, so that at most {allowed} count for {field}, delete objects that you no longer need, or ask the platform team for a larger quota",
  },
  POL_QUOTA_UNCHECKED: {
    text: "the quotas were not checked, because the namespace's usage is not known here",
    remedy: "nothing to do: the webhook checks the quotas when the object is applied",
  },
  POL_QUOTA_STALE: {
    text: "the objects of the namespace were last seen {actual} s ago, so its quotas cannot be checked",
    remedy: "nothing to do now: clients that follow Retry-After, such as kubectl, repeat the request; if it lasts, check that the webhook may list and watch the objects",
  },
  POL_NAMING: { text: '{field} "{actual}" does not match {allowed}', remedy: "choose a name that matches {allowed}" },
  POL_VM_NAME_TAKEN: { text: "the machine name {actual} is already in use", remedy: "choose another vmName, or omit it" },
  POL_EXEMPTED: {
    text: "a temporary exemption applies",
    remedy: "nothing to do now; before the exemption ends, change the object so that it passes, or have the exemption renewed",
  },
  POL_EXEMPTION_EXPIRED: { text: "an exemption ended on {actual}", remedy: "change the object so that it passes, or ask the platform team to renew the exemption" },
  POL_NAME_PATTERN: {
    text: "a pattern for names, {actual}, is written as that of a shell, but is a regular expression (RE2)",
    remedy: "ask the platform team or the namespace's owner to write ^team- for names that begin with team-",
  },
  POL_ORIGIN_DEFAULT: { text: "maxLatency is measured from the platform's default origin", remedy: "set spec.origin to the place that the machine is used from" },
  POL_LATENCY_ESTIMATED: { text: "some round trips are estimated from the distance", remedy: "nothing to do: an estimate is an upper bound" },
  POL_PRICE_UNKNOWN: { text: "some places have no published price", remedy: "nothing to do: they rank after places with a price" },
  POL_SETTINGS: {
    text: "{ref}: settings {field}: {detail}",
    remedy: "correct landfall/settings/data.yaml, or ask the platform team to; docs/reference/settings.md lists every setting",
  },
  POL_EVALUATION: {
    text: "the policy bundle failed during evaluation: {detail}",
    remedy: "tell the platform team; `landfall explain` with the same object shows the error without a cluster",
  },
  POL_TEAM: {
    text: "the rules of bundle {bundle} failed: {detail}",
    remedy: "tell the team of the bundle; `landfall explain --bundle` with the same object shows the error without a cluster",
  },
  POL_TEAM_SLOW: {
    text: "the rules of bundle {bundle} took more than their share of the time of decisions for objects of the owner of namespace {namespace}; they are asked again in {seconds} s",
    remedy: "repeat the request after that time, as clients that follow Retry-After do; if it stays, tell the team of the bundle to look values up by key instead of scanning",
  },
  POL_RESULT: { text: "the policy bundle returned an invalid result: {detail}", remedy: "tell the platform team; schemas/policy-result.schema.json defines the result" },
  PLACEMENT_NONE: { text: "no region can run this {noun}", remedy: "relax one of the limits named below" },
  PLACEMENT_BUDGET: {
    text: "the budgets have no capacity left for this in {places}",
    remedy: "allow a later deadline or more regions, or ask the platform team for a larger budget (settings.schedule.budgets)",
  },
  // Traces. None of these denies or delays anything.
  TRACING_SETTINGS: { text: "{variable} is not valid: {detail}", remedy: "correct the variable (chart: tracing); docs/operations/tracing.md lists each" },
  TRACING_AWAY: { text: "traces cannot be sent to {url}: {detail}", remedy: "check the address, the network and the collector; nothing else waits for it" },
  // Forecasts of carbon intensity. None of these denies anything: the next source answers, and the decision says so.
  FORECAST_SETTINGS: { text: "the forecast settings {file} are not valid: {detail}", remedy: "correct the file; docs/operations/forecasts.md lists every setting" },
  FORECAST_PENDING: { text: "{source} has not answered yet", remedy: "nothing to do: Landfall queries it in the background" },
  FORECAST_AWAY: { text: "{source} does not answer: {detail}", remedy: "check its url, the network and the service" },
  FORECAST_STATUS: { text: "{source} refused the request: HTTP {status} {detail}", remedy: "check its url, token and plan; for HTTP 5xx and 429, read the service's own log" },
  FORECAST_ANSWER: { text: "{source} did not return a valid forecast: {detail}", remedy: "check that its url belongs to a service of its configured type" },
  FORECAST_GAP: { text: "the values of {source} for {zone} are not evenly spaced: see {time}", remedy: "provide a value for every step, without gaps" },
  FORECAST_IMPLAUSIBLE: { text: "the forecast of {source} for {zone} is not plausible: {detail}", remedy: "correct the source; decisions do not use this forecast" },
  FORECAST_VALUE: {
    text: "{source} reports {value} gCO2eq/kWh for {zone} at {time}, outside 0 to {limit}",
    remedy: "correct the source, or raise maxIntensity in the forecast settings",
  },
  FORECAST_BAND: {
    text: "the error band of {source} for {zone} at {time} does not contain its value: {value}, but low {low} and high {high}",
    remedy: "provide low, the value and high in ascending order",
  },
  FORECAST_ZONE: { text: "{source} has no forecast for zone {zone}", remedy: "add the zone to the source, or add another source to the forecast settings" },
  FORECAST_STALE: {
    text: "the forecast of {source} for {zone}, issued {issued}, is {hours} h old",
    remedy: "find out why it is not renewed (/status of the webhook), or raise its maxAgeHours",
  },
  FORECAST_CLOCK: {
    text: "the forecast of {source} for {zone} was issued at {issued}, which is in the future (now {now})",
    remedy: "correct the clock of this machine or of the source",
  },
  FORECAST_SHORT: {
    text: "the forecast of {source} for {zone} ends at {until}, before {end}",
    remedy: "nothing to do; to cover the time, add a source with a longer horizon to the forecast settings",
  },
  FORECAST_UNEVEN: { text: "no forecast for {zones}: these zones were judged by the climatology of the bundle", remedy: "add the zones to a source in the forecast settings" },
  FORECAST_TOKEN: { text: "the token of {source} cannot be read from {file}: {detail}", remedy: "mount the Secret with the token, or correct tokenFile" },
  FORECAST_FILE: { text: "forecast file {file}: {detail}", remedy: "correct the file; docs/operations/forecasts.md describes the CSV columns and the JSON fields" },
  FORECAST_CIRCUIT: {
    text: "{source} failed {failures} times in a row; Landfall has paused its requests: {detail}",
    remedy: "check /status of the webhook; Landfall queries the source again automatically",
  },
  FORECAST_MEASURED: {
    text: "{source} needs measured hours of {zone} from {measured}, which has {hours}",
    remedy: "check the source of measured hours; a model needs at least 24",
  },
  // Price lists of the providers, which `landfall catalog refresh` fetches. The earlier prices stay in use.
  PRICES_AWAY: { text: "{source} does not answer: {detail}", remedy: "check the network, its proxy and the option {option}; the earlier prices stay in use" },
  PRICES_STATUS: { text: "{source} refused the request: HTTP {status} {detail}", remedy: "check the option {option}; for HTTP 5xx, run the command again later" },
  PRICES_BUSY: { text: "{source} answers no more requests for {seconds} s", remedy: "run the command again after that time, or name fewer places with --place" },
  PRICES_ANSWER: { text: "{source} did not return a price list: {detail}", remedy: "check that the option {option} names a price list, and that no proxy answers in its place" },
  PRICES_CUT: { text: "the answer of {source} ends early: {detail}", remedy: "run the command again; if it repeats, look for a proxy that limits the size of answers" },
  PRICES_LIMIT: { text: "{source} returned more than {limit}", remedy: "check that the option {option} names the provider's own price list, or a mirror of it" },
  PRICES_KEY: {
    text: "Google's price list needs an API key: {detail}",
    remedy: "create a key for the Cloud Billing API and set it as LANDFALL_GOOGLE_API_KEY, or name other providers with --provider",
  },
  PRICES_NONE: { text: "{source} has no region {region}", remedy: "nothing to do: the place keeps its earlier prices" },
  PRICES_FEW: {
    text: "the list has prices of {known} of the {types} types that are known there",
    remedy: "compare with the provider's price page; the place keeps its earlier prices",
  },
  PRICES_JUMP: {
    text: "its prices are {factor} times the earlier ones (median of {types} types), outside {least} to {most}",
    remedy: "compare with the provider's price page; the place keeps its earlier prices. If they did change so much, correct the catalog first (--catalog)",
  },
  CATALOG_HOURS: {
    text: "{hours} measured hours without a gap, and a profile needs {needed}",
    remedy: "add a source of type file with a year of hours, or keep the hours of each day with --history; the zone keeps its earlier profile",
  },
  CATALOG_INTENSITY: { text: "the mean of its hours, {yearly} gCO2eq/kWh, {detail}", remedy: "correct the source; the zone keeps its earlier profile" },
  CATALOG_KEPT: { text: "nothing is new: {kept} of {asked} keep their earlier figures", remedy: "read the notes above; the present data image stays as it is" },
  // External schedulers. None of these denies anything: the embedded scheduler answers, and the decision says so.
  SCHEDULER_SETTINGS: { text: "the external scheduler is not configured correctly: {detail}", remedy: "give an http or https URL and a budget of 50 to 5000 ms" },
  SCHEDULER_AWAY: { text: "the external scheduler does not answer: {detail}", remedy: "check its URL, the network and the service, or raise its budget" },
  SCHEDULER_STATUS: { text: "the external scheduler answered HTTP {status}", remedy: "read the scheduler's own log" },
  SCHEDULER_ANSWER: {
    text: "the external scheduler did not return a valid schedule: {detail}",
    remedy: "return {scheduling_time, scheduling_location}; docs/operations/scheduler.md has the contract",
  },
  SCHEDULER_REGION: {
    text: "the external scheduler chose {zone}, which is not an eligible region",
    remedy: "correct the scheduler: it must choose one of the regions in the request",
  },
  SCHEDULER_PAST: { text: "the external scheduler chose a start in the past: {start} (now {now})", remedy: "correct the scheduler, or the clock of one of the two machines" },
  SCHEDULER_LATE: {
    text: "the external scheduler chose {start}; the latest possible start is {latest}",
    remedy: "correct the scheduler: the start must respect the deadline, the duration and the horizon",
  },
  SCHEDULER_FULL: {
    text: "the external scheduler chose {zone} at {start}, but the budgets have no capacity left there",
    remedy: "nothing to do; the scheduler does not know the budgets",
  },
  SCHEDULER_CIRCUIT: {
    text: "the external scheduler failed {failures} times in a row; Landfall has paused its requests",
    remedy: "read the earlier warnings for the cause; Landfall queries the scheduler again automatically",
  },
  // Bundles and charts.
  BUNDLE_NONE: { text: "no policy bundle is loaded yet", remedy: "check /status of the webhook for the cause; apply again when the webhook is ready" },
  BUNDLE_UNREADABLE: { text: "bundle {ref} cannot be read: {detail}", remedy: "build it again with `landfall bundle build`" },
  BUNDLE_NO_ENTRYPOINT: { text: "bundle {ref} has no entrypoint {entrypoint}", remedy: "build it with `landfall bundle build`, which sets the entrypoint" },
  BUNDLE_BUILTIN: {
    text: "bundle {ref} calls {detail}, which the WASM runtime does not support",
    remedy: "replace the call; policies/capabilities.json lists the supported built-ins",
  },
  BUNDLE_DATA: { text: "{ref} has data of the wrong shape: {detail}", remedy: "correct it at its source, and build the bundle again" },
  BUNDLE_TABLES: { text: "{ref}: {field} {detail}", remedy: "correct landfall/{table}/data.yaml" },
  BUNDLE_PROBE: { text: "bundle {ref} loads, but its probe fails: {detail}", remedy: "run `opa test policies/bundle`" },
  BUNDLE_SMOKE: {
    text: "bundle {ref} fails its own smoke test {name}: {detail}",
    remedy: "correct the policy; if the expectation has changed, correct policies/bundle/landfall/smoke/data.yaml",
  },
  BUNDLE_TIMEOUT: {
    text: "the rules of bundle {ref} did not answer within {seconds} s",
    remedy: "the rules loop or are far too slow for this object: correct them, and test with `opa test` and `landfall test --source`",
  },
  BUNDLE_SLOW: {
    text: "bundle {ref} takes {actual} ms for a decision; the limit is {limit} ms",
    remedy: "look values up by key instead of scanning, or raise limits.decisionMs in the bundle settings",
  },
  BUNDLE_UNCOMPARED: {
    text: "bundle {ref} is not used yet: live objects to compare it with the active one cannot be listed: {detail}",
    remedy: "see that the API server answers and that the webhook's account may list vmtemplates and kaasclusters; the bundle is tried again at the next poll",
  },
  BUNDLE_CANARY: {
    text: "bundle {ref} denies {denied} of {asked} objects that the previous bundle allows, in {namespaces} namespaces",
    remedy: "run `landfall impact --bundle {ref} --sign-off NAME`; if the change is intended, add its last lines to the settings in the bundle",
  },
  BUNDLE_LOOSER: {
    text: "bundle {ref} allows {allowed} requests that the previous bundle denies, in {namespaces} namespaces and {smoke} smoke inputs",
    remedy: "run `landfall impact --bundle {ref}` to see them; if this is intended, announce it in the settings in the bundle: announced, with allows of at least {allowed}",
  },
  BUNDLE_LOOPS: {
    text: "bundle {ref} did not load within {limit} ms, or its process ended: {detail}",
    remedy: "look for a rule that does not terminate; `landfall explain --bundle` with the same bundle reproduces it",
  },
  BUNDLE_STALE: {
    text: "the registry has been unavailable for {hours} hours; the platform does not allow decisions with a bundle of that age",
    remedy: "restore the registry; /status of the webhook shows its error",
  },
  BUNDLE_OLDER: {
    text: "bundle {ref} has version {version}; it must be above {highest}, the highest that was used",
    remedy: "build it with a higher --version, or go back to it with `landfall bundle rollback`; if this is unexpected, find out who can write to the registry",
  },
  BUNDLE_RECORD: {
    text: "the highest version of bundle {ref} in Secret landfall-bundle-versions: {detail}",
    remedy:
      "let the webhook and the controller read and update the Secret in Landfall's namespace (charts/landfall/rbac); if it was edited, find out by whom, and remove what is not valid",
  },
  BUNDLE_CHANNEL: {
    text: "bundle {ref} is of channel {channel}, but the bundle settings expect {wanted}",
    remedy: "correct the reference, or build the bundle with the right --channel; if this is unexpected, find out who can write to the registry",
  },
  BUNDLE_QUARANTINED: {
    text: "the rollback names {ref}, which is in quarantine",
    remedy: "name another bundle with `landfall bundle rollback`, or publish a corrected one",
  },
  BUNDLE_ROLLBACK: {
    text: "webhooks cannot go back to {ref}: {detail}",
    remedy:
      "give `landfall bundle rollback --to` the digest of an earlier bundle of this repository: `landfall bundle push` printed it, and `landfall bundle inspect` shows it for a tag",
  },
  BUNDLE_IS_ROLLBACK: {
    text: "{ref} is a rollback to {target}, and holds no policies of its own",
    remedy: "name that image instead: REGISTRY/REPOSITORY@{target}",
  },
  BUNDLE_NOT_NEWER: {
    text: "the bundle at {ref} has version {highest}, and webhooks that used it refuse {version}",
    remedy: "give the new one --version {next} or a higher number; where no webhook used version {highest}, `landfall bundle push --force` pushes an earlier bundle",
  },
  BUNDLE_DATA_AHEAD: {
    text: "the data of bundle {ref} is dated {date}, which is more than a day ahead, so it would never be stale",
    remedy: "publish it with the date of its data: `landfall bundle build --data … --date YYYY-MM-DD`",
  },
  BUNDLE_EXPIRED: {
    text: "bundle {name} expired on {time}",
    remedy: "publish a newer version; if there is one, check why the registry does not serve it",
  },
  BUNDLE_BUILD: { text: "the bundle does not build: {detail}", remedy: "correct the policy that opa names" },
  BUNDLE_TEST: { text: "the policies' own tests fail: {detail}", remedy: "run `opa test` with the same folder" },
  BUNDLE_REFERENCE: { text: "{ref} is neither an existing file nor an image reference", remedy: "{instead}" },
  BUNDLE_REGISTRY: { text: "the registry refused {ref}: {detail}", remedy: "check the reference" },
  BUNDLE_REGISTRY_AUTH: { text: "the registry refused the credentials for {ref}: {detail}", remedy: "check the docker configuration (DOCKER_CONFIG, ~/.docker/config.json)" },
  BUNDLE_REGISTRY_TLS: { text: "the certificate of the registry of {ref} is not trusted: {detail}", remedy: "renew it, give its CA with --ca, or check this machine's clock" },
  BUNDLE_REGISTRY_BUSY: {
    text: "the registry received too many requests for {ref} and asks for a pause of {seconds} s",
    remedy: "nothing to do if Landfall retries; otherwise poll less often",
  },
  BUNDLE_REGISTRY_SLOW: { text: "the registry did not answer in time for {ref}", remedy: "check the registry and the network" },
  BUNDLE_REGISTRY_AWAY: { text: "the registry of {ref} does not answer: {detail}", remedy: "check the host name, the port and the network" },
  BUNDLE_LIMIT: { text: "bundle {ref} exceeds a size limit: {detail}", remedy: "make the bundle smaller; the limits protect the webhook's memory" },
  BUNDLE_UNSAFE: {
    text: "bundle {ref} is not safe to load: {detail}",
    remedy: "build it again with `landfall bundle build`; a bundle contains only plain files with relative names",
  },
  BUNDLE_TAMPERED: { text: "{ref} was changed after it was pushed: {detail}", remedy: "do not use it; push the bundle again and find out who can write to the registry" },
  BUNDLE_UNSIGNED: { text: "{ref} has no signature", remedy: "sign it with `landfall bundle push --key` or `cosign sign`, or set signatures: optional" },
  BUNDLE_SIGNATURE: { text: "no trusted key or identity signed {ref}: {detail}", remedy: "sign it with a trusted key or identity, or add the signer to the settings" },
  BUNDLE_ROOTS: {
    text: "bundle {ref} claims {root}, which belongs to bundle {other} ({theirs})",
    remedy: "give each path to one bundle; the platform makes its data replaceable with dataImages.byName.NAME.replaceable in its settings, where NAME is the image's name",
  },
  BUNDLE_PACKAGE: {
    text: "bundle {ref} has rules in {package}, which is not a package of {name}",
    remedy: "move the rules to {own}, or add the package to `packages` of {name} in the bundle settings",
  },
  BUNDLE_NAME: { text: "bundle {ref} is {actual}, but the bundle settings expect {wanted}", remedy: "build it with the name and kind from the settings, or correct the reference" },
  BUNDLE_REQUIRED: { text: "bundle {name} is required and is not loaded yet", remedy: "check /status of the webhook for the cause; apply again when the webhook is ready" },
  BUNDLE_ABSENT: { text: "bundle {name} is configured but not loaded, or too old; this decision was made without it", remedy: "check /status of the webhook for the cause" },
  BUNDLE_DATA_STALE: {
    text: "the data of bundle {name} is from {date}, {hours} hours old; the limit is {limit} hours",
    remedy: "publish newer data; dataImages in the settings sets the limit and its effect",
  },
  BUNDLE_KEY: { text: "the key {file} cannot be used: {detail}", remedy: "give an ECDSA P-256 or RSA key as PEM" },
  BUNDLE_NO_SETTINGS: {
    text: "this webhook has no bundle settings, and signatures of bundles are required",
    remedy: "name a file with the trusted signers with --bundle-settings, or give --unsigned to use bundles without checking signatures",
  },
  BUNDLE_SETTINGS: { text: "the bundle settings {file} are not valid: {detail}", remedy: "correct the file; schemas/bundle-settings.schema.json defines every setting" },
  REL_CHART_UNREADABLE: { text: "chart {chart} cannot be read: {detail}", remedy: "check spec.chart of the CompositionDefinition" },
  REL_CHART_MOVED: {
    text: "chart {chart} {version} was {pinned} when it was first used, and its registry serves {found} now; the first one stays in use",
    remedy: "publish changes under a new version; to accept this one, delete Secret {secret} and restart the controller",
  },
  REL_CHART_SIGNATURE: { text: "chart {chart} is not used: {detail}", remedy: "sign its image with a key or identity of --chart-settings" },
  REL_CHART_HOST: {
    text: "the password for chart {chart} is not sent to {host}",
    remedy: "name the host with --password-hosts of the composition controller, or remove credentials",
  },
  REL_CHART_PLAIN: {
    text: "the password for chart {chart} is not sent to {host} without verified TLS",
    remedy: "use https:// or oci:// without insecureSkipVerifyTLS; for a CA of your own, use --ca of the composition controller",
  },
  REL_DEFINITION_NAMESPACE: {
    text: "CompositionDefinitions of namespace {namespace} are not used",
    remedy: "create it in one of {allowed}, or name the namespace with --definition-namespaces of the composition controller",
  },
  REL_KIND_IN_USE: {
    text: "objects of {crd} exist, and deleting this CustomResourceDefinition deletes all of them with the machines and clusters that they run",
    remedy: "delete the objects first; or, to delete them with it, annotate the CustomResourceDefinition landfall.dev/allow-deletion with a reason",
  },
  REL_KIND_INSTALLED: {
    text: "{crd} is part of the installation of Landfall, and deleting this CustomResourceDefinition deletes all its objects",
    remedy: "uninstall the chart first; or annotate the CustomResourceDefinition landfall.dev/allow-deletion with a reason",
  },
  REL_DEFINITION_IN_USE: {
    text: "objects follow CompositionDefinition {name}, and without it nothing installs, upgrades or repairs them",
    remedy: "delete the objects first; or, to leave them as they are, annotate the CompositionDefinition landfall.dev/allow-deletion with a reason",
  },
  REL_KIND_DELETED: {
    text: "{crd} is being deleted with all its objects",
    remedy: "wait: it is made again once they are gone; to remove the kind permanently, delete its CompositionDefinition",
  },
  REL_UNSERVED: {
    text: "no CompositionDefinition serves {kind}, so nothing is installed, upgraded or repaired",
    remedy: "create its CompositionDefinition; the object can be deleted without it",
  },
  REL_CHART_SCHEMA: { text: "chart {chart}: its values.schema.json cannot become a CRD: {detail}", remedy: "run `npm run check` in the chart's project" },
  REL_CHART_TAKEN: {
    text: "{ref} already exists with different content",
    remedy:
      "published charts never change: keep the published one, or raise version in Chart.yaml, for example to {next}, push again, and write that version into charts.vmTemplate or charts.kaasCluster of your values",
  },
  REL_CHART_PUSH: { text: "chart {ref} cannot be pushed: {detail}", remedy: "check the address and the docker login" },
  REL_RENDER: { text: "chart {chart} does not render: {detail}", remedy: "run `landfall plan` with the same object" },
  REL_HELM: { text: "helm {action} of {release} failed: {detail}", remedy: "read the controller's log; the controller tries again" },
  REL_DISK_FULL: {
    text: "the controller's disk is full: {detail}",
    remedy: "the platform team frees space on the controller's volumes data and tmp, or moves its Pod; the controller tries again, and nothing is lost",
  },
  REL_HELM_WORKER: {
    text: "the helm worker cannot be started: {detail}",
    remedy: "name its program with --helm-worker, or use --helm-by auto (chart: controller.helmBy), which calls helm's program where there is no worker",
  },
  REL_WATCH: {
    text: "{path} cannot be listed: {detail}",
    remedy: "allow the controller to list and watch this kind (chart: rights.compositions, rights.resources); the controller tries again",
  },
  REL_UNDECIDED: {
    text: "{kind} {name} is neither installed nor changed: {detail}",
    remedy: "check that the webhooks placement.landfall.dev and guard.landfall.dev are registered, then annotate the object landfall.dev/reevaluate with a new value",
  },
  REL_EMERGENCY: {
    text: "{kind} {name} was created while admission was switched off, and lacks what admission would have chosen: {fields}",
    remedy: "write these fields, while the emergency lasts or once admission is back",
  },
  REL_SPEC_CHANGED: {
    text: "{kind} {name} is neither installed nor changed: {detail}",
    remedy: "put the earlier spec back, or change what is denied; the controller repeats its question to the webhook, and what is installed stays",
  },
  REL_UNCONFIRMED: {
    text: "{kind} {name} waits and is not installed or changed: {detail}",
    remedy: "wait if others only have to free capacity, since the controller asks again; otherwise change what is denied",
  },
  REL_REPLAYED: {
    text: "{kind} {name} is neither installed nor changed: {detail}",
    remedy: "nothing to do: the controller asks the webhook to decide the object again; if this stays, check that its webhooks are registered and what they answer",
  },
  REL_KEY_LOST: {
    text: "{kind} {name} is neither installed nor changed: key {key}, which signed its decision, is not in the Secret landfall-signing-keys",
    remedy: "put the key back, or let an administrator run `landfall keys resign --lost {key}`; what is installed stays",
  },
  REL_SIGNING_KEY: {
    text: "the signing key {file} cannot be used: {detail}",
    remedy:
      "start the webhook first, which makes the Secret landfall-signing-keys, or name a folder with --signing-key, or give --allow-undecided to install objects without a decision",
  },
  REL_RECORD: {
    text: "the record of Helm release {release} in {namespace} has no valid signature; the release is rendered again",
    remedy: "check who may write Secrets in Landfall's namespace, and whether its signing key changed",
  },
  REL_COPY: {
    text: "the Secrets of Helm release {release} in {namespace} differ from its record",
    remedy: "nothing to do: the controller restores them and never reads them; change the object instead",
  },
  REL_UNRECORDED: {
    text: "Helm release {release} has no valid record: {count} resources that carry its name are deleted without Helm",
    remedy: "nothing to do; if the signing key changed, the objects of other releases are decided again at their next change",
  },
  REL_CHART_LABELS: {
    text: "labels of {kind} {name} name a chart that is not served, although it has a release",
    remedy: "nothing to do: the controller uses the chart of the release, and puts its labels back",
  },
  REL_GONE_STOP: {
    text: "{kind} {name} is gone, and its machine cannot be stopped at the end of its run: no CompositionDefinition serves its chart",
    remedy: "apply the CompositionDefinition of the chart again",
  },
  REL_LEFTOVERS: {
    text: "{count} resources that unfinished revisions of Helm release {release} left are deleted",
    remedy: "nothing to do: the revision that is deployed has none of them",
  },
  REL_FORMER: {
    text: "Helm release {release} has {count} resources of earlier revisions that are still there, so it is not upgraded",
    remedy: "wait until their providers have deleted them; see why they refuse: a lock, or a finalizer",
  },
  REL_MACHINE_NAME: {
    text: "the machine {before} of Helm release {release} is still there, so no other one is made with spec.vmName {after}",
    remedy:
      "to keep that machine, annotate this object krateo.io/deletion-policy: orphan, delete it, and create it again with spec.vmName: {before}; for another machine, create an object of another name without krateo.io/release-name",
  },
  REL_RETAINED_MANY: {
    text: "namespace {namespace} has {count} records of resources that stayed when their object was deleted, so {kind} {name} is not deleted yet",
    remedy:
      "ask the platform team to look at them with landfall audit and to acknowledge those that are known: landfall acknowledge UID --reason TEXT; the deletion then continues",
  },
  REL_OUTSIDE: {
    text: "the chart renders {kind} {name}, which is not an object of namespace {namespace}",
    remedy: "charts may render only objects of the release's own namespace: correct the chart",
  },
  REL_IDENTITY: {
    text: "the identity that installs in {namespace} has no rights there: {detail}",
    remedy:
      "apply charts/landfall/rbac/controller.yaml, and remove finalizers from RoleBinding landfall-charts; ClusterRoles labelled landfall.dev/aggregate-to-charts fill the role",
  },
  REL_IDENTITY_GUARDED: {
    text: "only Landfall's controller may create or change RoleBinding landfall-charts: by it, it stops and deletes what runs in the namespace",
    remedy: "leave the RoleBinding as it is; the platform's administrators, who may write identities.landfall.dev in the whole cluster, can change it",
  },
  REL_RELEASE_TAKEN: {
    text: "the label krateo.io/release-name was {label}, but Helm release {label} belongs to {owner}; this object's release is {release}",
    remedy: "nothing to do: the controller corrected the label; remove it from copies of an object",
  },
  REL_RELEASE_LABEL: {
    text: "the label krateo.io/release-name was {label}, but this object's release is {release}",
    remedy: "nothing to do: the controller corrected the label; a release cannot be renamed",
  },
  REL_RELEASE_FOREIGN: {
    text: "Helm release {release} in {namespace} belongs to {owner}, so the controller does not upgrade or uninstall it for this object",
    remedy: "create this object again, which gives it another release, or remove that release if it is not needed",
  },
  REL_OBJECT_TAKEN: {
    text: "{kind} {name} already exists and belongs to {holder}",
    remedy: "give this object another name, or another vmName if it has one: each resource belongs to one object",
  },
  REL_OBJECT_DELETING: {
    text: "{kind} {name} still exists: it is being deleted with {holder}",
    remedy: "nothing to do: this object is installed when that one is gone; or give it another name, or another vmName if it has one",
  },
  REL_OBJECT_ORPHANED: {
    text: "{kind} {name} already exists in Helm release {release}, which an earlier object of this name left",
    remedy: "label this object krateo.io/release-name={release} to adopt that release, or uninstall it with helm",
  },
  REL_OBJECT_LOST: {
    text: "{holder} took over {kind} {name} of this object; the controller no longer changes this object's resources",
    remedy: "delete this object, which keeps that resource, and apply it with another name or vmName",
  },
  REL_MARKS_WRITTEN: {
    text: "a mutating policy of the cluster writes {names} of {kind} {name} again, which decides what a deletion does",
    remedy: "exclude the objects of Landfall's charts from the policy; until then, the controller puts it back ever more rarely",
  },
  REL_PROVIDER_TERMINAL: { text: "{kind} {name}: {detail}", remedy: "correct the object: the provider does not try again" },
  REL_PROVIDER_CAPACITY: {
    text: "{kind} {name}: {detail}",
    remedy: "raise the quota or choose another place or a smaller machine; the operator tries again automatically, with growing pauses",
  },
  REL_MACHINE_STOPPED: { text: "{kind} {name} is {state} at its provider, which Landfall did not plan", remedy: "{detail}" },
  REL_MACHINE_REPLACED: {
    text: "{before} is gone, and the provider's operator made {now} in its place",
    remedy: "start again what has to run on it; data on the disks of the earlier machine may be lost",
  },
  REL_PROVIDER_RETRY: { text: "{kind} {name}: {detail}", remedy: "nothing to do yet: the provider tries again" },
  REL_PROVIDER_SLOW: {
    text: "{kind} {name} has been changing for more than 90 minutes without an end: {detail}",
    remedy: "look at the provider for what its updates wait for; a pool of many nodes may take that long",
  },
  REL_PROVIDER_SILENT: {
    text: "the operator of {kind} {name} has said nothing of it for 15 minutes: {detail}",
    remedy: "have the platform team look whether that operator runs, watches this namespace and has credentials for it",
  },
  CLUSTER_CONFIG: {
    text: "{source} does not give access to a cluster: {detail}",
    remedy: "name a kubeconfig whose current context has a cluster and a user, or run in a Pod with a service account",
  },
  REL_API: { text: "the API server refused {action}: {detail}", remedy: "read the message; the controller tries again" },
  REL_PATH: {
    text: "{segment} cannot be one part of a path at the API server",
    remedy: "correct the name in the object: lower-case letters, digits, - and ., as in db-password",
  },
  REL_API_AWAY: {
    text: "the API server does not answer {action}: {detail}",
    remedy: "the controller tries again; for a command, see which API server the kubeconfig names and whether it can be reached from here",
  },
  REL_DELETE_BLOCKED: { text: "{kind} {name} still exists: {detail}", remedy: "check the resource's conditions and finalizers" },
  REL_DEADLINE_MISSED: {
    text: "{kind} {name} starts at {started}; its run ends {by} after its deadline {deadline}",
    remedy: "delete the object if a late result is useless; find out why no controller ran at its start",
  },
  REL_DRIFT: { text: "{detail} differs from the release, also after an upgrade", remedy: "undo the change there, or change the object instead" },
  RUN_CLOCKS: {
    text: "no run begins: the API server's clock shows {server} and the composition controller's {own}, {minutes} minutes apart, and a run that starts by a wrong clock ends early or late",
    remedy: "set the clocks of the control plane's machines and of the controller's node by NTP; the controller tries again until then",
  },
  RUN_REPORT_TOKEN: {
    text: "the token is not that of a run of this object",
    remedy: "send the token that the machine was given, as Authorization: Bearer; another object and another run have others",
  },
  RUN_REPORT_BODY: { text: "the report is not valid", remedy: 'send {"exitCode": 0}, with the exit code of the work: 0 to 255' },
  RUN_REPORT_REPEATED: {
    text: "the run of {object} is over, or was reported already",
    remedy: "send one report per run; ask for another run with a new value of landfall.dev/run",
  },
  RUN_REPORT_LISTENER: {
    text: "the listener of completion reports cannot use port {port}: {detail}",
    remedy: "name a free port with --report-port, and a folder with tls.crt and tls.key with --report-tls",
  },
  RUN_REPORT_FLAGS: {
    text: "completion reports need {missing}",
    remedy: "give --report-port, --report-tls and --report-url (https://…) together, with signing keys; or none of them",
  },
  // Elemento's API. `operation` is a call of the client; `detail` holds no user data, password or token.
  ELEMENTO_ACCOUNT: {
    text: "Secret {secret} is not a valid Elemento account: {detail}",
    remedy: "create or correct the Secret: keys username, password and url (docs/operations/elemento-operator.md)",
  },
  ELEMENTO_SECRET: { text: "Secret {secret}, which {object} names, {detail}", remedy: "create the Secret in the object's namespace, or name another one" },
  ELEMENTO_TENANT: {
    text: "namespace {namespace} is not allowed to use the operator's account at Elemento",
    remedy: "name a Secret with an account of your own in spec.credentialsSecret, or ask the platform team (--tenants)",
  },
  ELEMENTO_FOREIGN: {
    text: "no object of namespace {namespace} made {id} at Elemento",
    remedy: "use an ElementoNetwork (networkRef) or ElementoVolume (volumeRef) of the namespace, or ask the platform team to allow the id (--tenants)",
  },
  ELEMENTO_CIDR: {
    text: "network {cidr} is not allowed in the operator's account for namespace {namespace}: {detail}",
    remedy: "choose another or a smaller network, delete one, or ask the platform team (--tenants)",
  },
  ELEMENTO_TENANTS: {
    text: "the tenants file {file} is not valid: {detail}",
    remedy: "correct the file; docs/operations/elemento-operator.md shows one",
  },
  ELEMENTO_AWAY: { text: "Elemento's {service} service does not answer {operation}: {detail}", remedy: "check the service's address and health; the operator tries again" },
  ELEMENTO_UNCERTAIN: { text: "the result of {operation} at Elemento is not known: {detail}", remedy: "nothing to do: the operator checks the result before it tries again" },
  ELEMENTO_BUSY: {
    text: "Elemento's {service} service accepts no more requests of this account for {seconds} s ({operation})",
    remedy: "nothing to do: the requests wait; lower the account's rate limit if this happens often",
  },
  ELEMENTO_FAILED: {
    text: "Elemento failed at {operation}: {reason} (HTTP {status}) {detail}",
    remedy: "nothing to do yet: the operator tries again; report it to Elemento if it continues",
  },
  ELEMENTO_ANSWER: {
    text: "Elemento's answer to {operation} is not valid: {detail}",
    remedy: "check that the address is Elemento's; docs/internals/elemento-api.md describes the expected answers and how to adapt them",
  },
  ELEMENTO_KUBECONFIG: {
    text: "the kubeconfig of the cluster is not written into the Secret: {detail}",
    remedy: "ask Elemento for a kubeconfig with server, certificate-authority-data, and a token or client certificate as data",
  },
  ELEMENTO_LOGIN: { text: "Elemento refuses the account's login: {detail}", remedy: "correct username and password in the account's Secret" },
  ELEMENTO_SESSION: {
    text: "Elemento ended the session directly after a login ({operation})",
    remedy: "nothing to do: the operator logs in again; check whether another client uses the same account",
  },
  ELEMENTO_FORBIDDEN: { text: "the account has no permission for {operation} at Elemento: {detail}", remedy: "ask Elemento for the permission, or use another account" },
  ELEMENTO_REFUSED: { text: "Elemento refuses {operation}: {reason} {detail}", remedy: "correct the object; Elemento would refuse the same request again" },
  ELEMENTO_CONFLICT: {
    text: "{operation} conflicts with an existing object at Elemento: {reason} {detail}",
    remedy: "choose another name or address range, or delete the existing object",
  },
  ELEMENTO_NOT_FOUND: { text: "{operation} names an object that Elemento does not have: {reason} {detail}", remedy: "check the ids in the object" },
  ELEMENTO_IN_USE: { text: "Elemento cannot do {operation} while the resource is in use: {detail}", remedy: "nothing to do: the operator waits until the resource is free" },
  ELEMENTO_TOO_EARLY: { text: "Elemento cannot do {operation} in the present state: {detail}", remedy: "nothing to do: the operator tries again when the state has changed" },
  ELEMENTO_CAPACITY: {
    text: "Elemento has no capacity for {operation}: {reason} {detail}",
    remedy: "wait, ask Elemento for a higher limit, or choose another provider, region or size",
  },
  // The machine.
  TOOL_MISSING: {
    text: "{tool} {version} is not on the PATH and cannot be built: {detail}",
    remedy: "install Go 1.26 or newer (https://go.dev/doc/install), or put {tool} {version} on the PATH",
  },
  TOOL_BUILD: { text: "building {tool} {version} failed: {detail}", remedy: "see {log}" },
  TOOL_DOWNLOAD: {
    text: "{tool} {version} cannot be downloaded: {detail}",
    remedy: "set LANDFALL_TOOLS=build to build it from source with Go, or put {tool} {version} on the PATH",
  },
  TOOL_UNREACHABLE: {
    text: "{tool} {version} cannot be downloaded: {host} cannot be reached: {detail}",
    remedy: "allow connections to {host} (HTTPS_PROXY names a proxy), set LANDFALL_TOOLS=build to build from source with Go, or put {tool} {version} on the PATH",
  },
  TOOL_SETTING: { text: "LANDFALL_TOOLS is {value}", remedy: "write auto, download or build, or unset it for auto" },
  TOOL_FAILED: { text: "{tool} failed: {detail}", remedy: "correct what it says; if it says nothing, check that the program is there, may run, and has space on its disk" },
  LOCAL_PROCESS_DIED: { text: "{process} ended: {detail}", remedy: "see {log}" },
  LOCAL_NOT_READY: { text: "{process} was not ready after {seconds} s", remedy: "see {log}" },
  LOCAL_NO_PORT: {
    text: "no port between {lowest} and {highest} is free on 127.0.0.1",
    remedy: "stop a program that listens there, or allow this process to listen on the loopback address",
  },
  LOCAL_RUNNING: { text: "local mode already runs in {folder} (process {pid})", remedy: "end it with Ctrl-C, or choose another folder with --dir" },
  LOCAL_INTERRUPTED: { text: "{signal} ended local mode", remedy: "start it again" },
  LOCAL_APPLY: { text: "the local API server refused {object}: {detail}", remedy: "correct the manifest and start again" },
  LOCAL_BENCH: { text: "the benchmark stopped: {detail}", remedy: "see the lines above; nothing was measured" },
  LOCAL_EXAMPLE: { text: "example {file}: {detail}", remedy: "correct the example; docs/internals/local-mode.md describes its fields" },
  CLI_METADATA: { text: "{file}: {detail}", remedy: "{correction}" },
  CLI_PORT: { text: "cannot listen on port {port}: {detail}", remedy: "choose another port with {option}, or stop the program that listens there" },
  CLI_INPUT: { text: "{file}: {detail}", remedy: "{correction}" },
  CLI_YAML: { text: "{file}, line {line}, column {column}: {detail}", remedy: "{correction}" },
  CLI_CASE: { text: "{file}: {detail}", remedy: "correct the case; schemas/policy-case.schema.json has every field" },
  CLI_KIND: { text: "the cluster does not serve {kind} of {apiVersion}", remedy: "install Landfall's charts there, or use the version that `kubectl api-resources` shows" },
  CLI_OBJECT_NONE: { text: "the cluster has no {kind} {where}", remedy: "see `landfall get` for all objects that you may read" },
  CLI_CERTIFICATE_UNUSED: {
    text: "no running webhook uses the CA in Secret {where}, so none would replace it",
    remedy: "renew the certificate of webhook.tls.existingSecret where it comes from; the Secret that a webhook made before can be deleted. `landfall doctor` lists the replicas",
  },
  CLI_CERTIFICATE_NONE: {
    text: "there is no Secret {where} with a CA that a webhook made",
    remedy: "name another with --system-namespace and --secret; a certificate of cert-manager or of files is renewed where it comes from",
  },
  CLI_KEYS_NONE: { text: "there is no Secret {where}", remedy: "name Landfall's namespace with --system-namespace, or start the webhook, which makes the Secret" },
  CLI_KEY: { text: "key {key} {detail}", remedy: "see `landfall keys list`; sign again with `landfall keys resign`, or remove the key with --force" },
  CLI_SCAFFOLD_NAME: { text: "{name} is not a valid {what} name", remedy: "choose another name: {allowed}" },
  CLI_SCAFFOLD_EXISTS: { text: "{file} already exists{others}; nothing was written", remedy: "choose another name or folder, or move the existing files" },
  CLI_SCAFFOLD_WRITE: { text: "cannot write into {folder}: {detail}", remedy: "choose a writable folder; no partial files were left" },
  CLI_BREAK_GLASS: {
    text: "there are no webhook configurations {names}: admission is off already, and no emergency is recorded",
    remedy: "start the webhook, which writes them, then repeat the command; landfall doctor looks at the installation",
  },
  CLI_NAMESPACE: {
    text: "there is no namespace {names}: nothing was changed, and admission is on",
    remedy: "write names that `kubectl get namespaces` lists; create a namespace first that an object needs",
  },
  CLI_CLOCK: {
    text: "this machine's clock says {local}, and the API server's {server}: the emergency would begin or end at a wrong time",
    remedy: "correct the clock that is wrong, or run the command on another machine",
  },
  CLI_UNREGISTER: {
    text: "the webhook configurations {names} come back after they are removed",
    remedy: "scale the Deployment landfall-webhook to 0, and look for another program that writes them",
  },
  CLI_UNKNOWN_NAME: { text: '{option} "{actual}" is not {what}', remedy: "write {advice}" },
  CLI_NO_ACTIVE: {
    text: "nothing says which bundle decides now, so there is nothing to compare with",
    remedy: "name it with --against: a reference, a tarball, or a folder with the policies as they were (`git worktree add ../active main`)",
  },
  CLI_USAGE: { text: "{detail}", remedy: "see the help of the command: `landfall --help`, or the first lines of the script that npm runs" },
  // The console.
  CONSOLE_SESSION: { text: "this page is not signed in to the console", remedy: "open the address that `landfall console` prints; press Enter there for a new one" },
  CONSOLE_TOKEN: {
    text: "this address of the console was used before, or is older than ten minutes",
    remedy: "press Enter where `landfall console` runs, and open the address that it prints",
  },
  CONSOLE_ORIGIN: {
    text: "the console refuses this request: {detail}",
    remedy: "open the console by the address that `landfall console` prints, in a browser on the same machine",
  },
  CONSOLE_NO_TOKEN: {
    text: "the request has no token of a user, and the console has no rights of its own",
    remedy:
      "open the console through its proxy; whoever runs it: let the proxy send the header Authorization: Bearer with a token that the API server accepts (docs/operations/console.md)",
  },
  CONSOLE_SITE: {
    text: "the console refuses this request: {detail}",
    remedy: "open {origin}; whoever runs it: console.origin is the address that browsers open, and the proxy passes the header Host on",
  },
  CONSOLE_REQUEST: { text: "the request is not valid: {detail}", remedy: "open the page again from the navigation; if it comes back, report the address" },
  CONSOLE_FOLDER: {
    text: "cannot show the folder {folder}: {detail}",
    remedy: "name a folder with files of the decision log, of landfall audit -o json, or of landfall simulate --json",
  },
  CONSOLE_MANIFEST: { text: "the object cannot be read: {detail}", remedy: "{correction}" },
  CONSOLE_TRIAL: {
    text: "the object could not be tried or explained: {detail}",
    remedy: "make the object smaller, or ask the platform team which of its rules takes long; `landfall explain` tries it on your own machine",
  },
  CONSOLE_AGAIN: { text: "the cluster is busy: {detail}", remedy: "nothing to do: the page asks again in {seconds} s" },
  CONSOLE_REFUSED: { text: "the API server did not create the object: {detail}", remedy: "correct what it names, and try again" },
  CONSOLE_ABSENT: { text: "there is no {what}", remedy: "check the name in the address; the object may have been deleted" },
  CONSOLE_BUILD: { text: "the pages of the console cannot be built: {detail}", remedy: "run `npm ci` in the clone, and then the command again" },
  CONSOLE_BUSY: { text: "the console already runs a simulation or an impact analysis", remedy: "wait for it, or cancel it in the page that runs it" },
  CONSOLE_COMMAND: { text: "the command failed: {detail}", remedy: "correct what it names, and run it again" },
  CONSOLE_PORT: { text: "the console cannot listen on {address}: {detail}", remedy: "name a free port with --port, or omit it for any" },
  // The simulator.
  SIM_FILE: { text: "cannot read {file}: {detail}", remedy: "give a CSV file as described in docs/guides/simulate.md" },
  SIM_COLUMN: { text: "{file} has no column {missing}", remedy: "begin the file with the line id,arrival,cpu,memory,durationHours,deadline,maxLatency,origin,dataResidency" },
  SIM_EMPTY: { text: "{file} has no jobs", remedy: "give at least one line below the header" },
  SIM_VALUE: { text: "line {line}, {column} {actual}: expected {wanted}", remedy: "correct {column} in line {line}" },
  SIM_DEADLINE: { text: "line {line}, job {id}: the deadline {deadline} is before arrival + duration", remedy: "give a later deadline or a shorter duration" },
  SIM_ORIGIN: { text: "line {line}: the origin {origin} is not a place with an hourly carbon series", remedy: "name a place as provider/region, e.g. azure/italynorth" },
  SIM_OUTSIDE: { text: "job {id} is outside the recorded hours ({from} to {to})", remedy: "move its arrival and its run into these hours" },
  SIM_NO_PLACE: { text: "no place can run job {id}: {detail}", remedy: "relax its maxLatency or dataResidency, or make it smaller" },
  SIM_SERIES: { text: "no usable hourly series exists for {year}: {detail}", remedy: "use --year 2022, or generate the file again with node scripts/generate.ts carbon-series" },
  SIM_HOURS: {
    text: "the measured hours of {file} cannot be replayed: {detail}",
    remedy: "give a value for every full hour of at least two days, and the same hours for each zone",
  },
  SIM_OPTIONS: { text: "{detail}", remedy: "see landfall simulate --help" },
  // kOps.
  KOPS_MANIFEST: { text: "{file}: {detail}", remedy: "give the output of `kops get NAME -o yaml`: one Cluster with its InstanceGroups, of kops.k8s.io/v1alpha2" },
  KOPS_FIELD: { text: "{object}: {field}{given} {detail}", remedy: "{correction}" },
  KOPS_PROVIDER: {
    text: "{object} is for {provider}, but Landfall maps kOps manifests only for aws and elemento",
    remedy: "{correction}",
  },
  KOPS_KIND: { text: "{object} is not a KaasCluster", remedy: "give a file that contains only KaasClusters" },
  KOPS_DENIED: { text: "{object} is not a valid KaasCluster: {detail}", remedy: "{correction}; docs/guides/kops.md describes the mapping" },
  KOPS_GROUP: { text: "{object} {detail}", remedy: "give the manifests of one cluster, each once" },
  KOPS_MACHINE: { text: "{object} has the machine type {type}: {detail}", remedy: "{correction}" },
  KOPS_SUBNET: { text: "{object} {detail}", remedy: "{correction}" },
  KOPS_ZONE: { text: "{detail}", remedy: "{correction}" },
  KOPS_NETWORK: {
    text: "spec.network.nodeCidr {cidr} is too small for a private and a utility subnet in each zone: AWS's smallest subnet is a /28",
    remedy: "give a network of /25 or larger, or endpoint: public",
  },
  KOPS_SSH_KEY: { text: "{file} does not contain a public SSH key", remedy: "give the .pub file of a key, one line in OpenSSH format" },
  KOPS_NO_SSH_KEY: { text: "no SSH credential is written, because the object has no key", remedy: "give --ssh-public-key FILE; kOps for Elemento requires exactly one key" },
  KOPS_NO_STATE: { text: "spec.configBase is omitted, because the object names no state store", remedy: "give --state s3://BUCKET, here or to kops" },
  KOPS_NOT_MAPPED: { text: "{path} ({value}) is not mapped: {reason}", remedy: "see docs/guides/kops.md for the mapping" },
  KOPS_CHANGED: { text: "{path} ({value}) becomes {became}: {reason}", remedy: "see docs/guides/kops.md for the mapping" },
  KOPS_SERVICE_RANGE: {
    text: "spec.network.serviceCidr ({value}) is a range for kOps, but EKS refuses it",
    remedy: "set one of /12 to /24 inside 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16 before you apply the object",
  },
  KOPS_COMMAND: {
    text: "{path} ({value}) has no flag of `kops create cluster`",
    remedy: "use the manifests instead of --command, or change the cluster with `kops edit` afterwards",
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorParams = Readonly<Record<string, string | number>>;

/** The names in braces of a template; other braces, as of JSON, hold more than a word. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string}${" " | ":" | "," | '"'}${string}` ? never : Name) | NamesIn<Rest>
  : never;

type NamesOf<Code extends ErrorCode> = NamesIn<(typeof ERRORS)[Code]["text"] | (typeof ERRORS)[Code]["remedy"]>;

/**
 * The parameters that a code's texts need, as arguments: a text with an unfilled `{name}` is an error of types. Of a code that is only
 * known at run time, nothing is checked. `Given`: names that the function fills itself.
 */
export type ParamsOf<Code extends ErrorCode, Given extends string = never> = ErrorCode extends Code
  ? [params?: ErrorParams]
  : [Exclude<NamesOf<Code>, Given>] extends [never]
    ? [params?: ErrorParams]
    : [params: ErrorParams & Readonly<Record<Exclude<NamesOf<Code>, Given>, string | number>>];

function fill(template: string, params: ErrorParams): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}

/** The text and the remedy of `code` with the parameters filled in. */
export function describe<Code extends ErrorCode>(code: Code, ...[params = {}]: ParamsOf<Code>): { message: string; remedy: string } {
  const entry: ErrorEntry = ERRORS[code];
  return { message: fill(entry.text, params), remedy: fill(entry.remedy, params) };
}

/** The part of a LandfallError that errors made from it share. */
export class CodedError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string;
  readonly params: ErrorParams;

  constructor(code: ErrorCode, params: ErrorParams = {}, cause?: unknown) {
    const { message, remedy } = describe<ErrorCode>(code, params);
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

/** The one error class of the project: a code of the registry, its text, and what caused it. */
export type LandfallError = CodedError;

/** The class, with the parameters that each code needs: a constructor has no type parameters of its own. */
export const LandfallError = CodedError as unknown as {
  new <Code extends ErrorCode>(code: Code, ...given: [...ParamsOf<Code>, cause?: unknown]): LandfallError;
  readonly prototype: LandfallError;
};

/** Makes an `Error` of whatever was thrown; libraries at the boundary throw strings and plain objects too. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error(typeof thrown === "string" ? thrown : JSON.stringify(thrown), { cause: thrown });
}

/** The system's errors about a file or folder, in words. */
const OF_SYSTEM: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of the path is a file and not a folder",
  EISDIR: "it is a folder and not a file",
  EACCES: "this user has no right to it",
  EPERM: "this user has no right to it",
};

/** The message of whatever was thrown. Node's own of a missing file is the name of a constant and of a system call. */
export function messageOf(thrown: unknown): string {
  const error = toError(thrown);
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  const told = code === undefined || path === undefined || syscall?.startsWith("spawn") === true ? undefined : OF_SYSTEM[code];
  return told ?? error.message;
}

/** One line for a person about whatever was thrown: with the remedy and the code if it has them. */
export const lineOf = (thrown: unknown): string => (thrown instanceof LandfallError ? thrown.line : messageOf(thrown));

/** An error with a code of whatever was thrown: what has none is ADM_INTERNAL. */
export const asLandfallError = (thrown: unknown): LandfallError =>
  thrown instanceof LandfallError ? thrown : new LandfallError("ADM_INTERNAL", { detail: messageOf(thrown) }, thrown);
