import { endpoint, kubeconfig } from "./cluster-facts.ts";
import { conditionOf, publicAddress, textAt, uuidOf } from "./fields.ts";
import type { Family, KindRule, Phase, Refusal, RefusalKind, Resource } from "./types.ts";

const GROUP = "elemento.landfall.dev";

const KINDS: readonly KindRule[] = [
  {
    group: GROUP,
    kind: "ElementoVm",
    seconds: 3,
    required: ["name", "provider", "cpu.slots", "memory.sizeMiB", "os.image", "volumes"],
    // Elemento's API has no call that changes a machine.
    immutable: ["name", "provider", "region", "cpu", "memory", "os", "volumes", "network", "userData", "sshPublicKey"],
    machine: ({ spec }) => {
      const [provider, region] = [textAt(spec, "provider"), textAt(spec, "region")];
      const place = provider === null || region === null ? null : `elemento/${provider}-${region}`;
      return { place, instanceType: textAt(spec, "flavour"), imageExists: true };
    },
    status: (resource) => ({
      vmId: uuidOf(resource),
      state: "running",
      ipv4: publicAddress(resource),
      observedGeneration: resource.metadata.generation ?? 1,
    }),
  },
];

/** A cluster as Elemento's services keep it. */
const CLUSTER: KindRule = {
  group: GROUP,
  kind: "ElementoKaas",
  seconds: 2,
  required: ["name", "provider", "nodePools"],
  immutable: ["name", "provider", "region", "kubernetesVersion", "nodePools", "network"],
  status: (resource) => ({
    serviceId: uuidOf(resource),
    state: "running",
    endpoint: endpoint(resource, "elemento"),
    kubernetesVersion: textAt(resource.spec, "kubernetesVersion"),
  }),
  secret: (resource) => {
    const [name, key] = [textAt(resource.spec, "kubeconfigSecret.name"), textAt(resource.spec, "kubeconfigSecret.key")];
    return name === null
      ? null
      : { name, key: key ?? "kubeconfig", value: kubeconfig(resource, endpoint(resource, "elemento")) };
  },
};

const REFUSALS: Readonly<Record<RefusalKind, (detail: string) => [code: string, message: string]>> = {
  "quota-exceeded": () => ["ResourceLimitExceeded", "the account's limit of cores is reached"],
  "bad-image": () => ["ImageDownloadFailed", "the image cannot be downloaded"],
  "not-offered": (detail) => ["NotAllocable", `no provider of this zone offers ${detail}`],
  immutable: (detail) => ["UpdateUnsupported", `${detail} of a machine cannot be changed`],
  "missing-field": (detail) => ["BadRequest", `${detail}: MISSING in BODY`],
};

function refusal(kind: RefusalKind, _resource: Resource, detail: string): Refusal {
  const [code, message] = REFUSALS[kind](detail);
  return { code, message, terminal: true };
}

/** status, reason and message of the condition Ready. */
function ready(phase: Phase): [status: string, reason: string, message: string] {
  switch (phase.name) {
    case "ready":
      return ["True", "Running", "the machine is running"];
    case "creating":
      return ["False", "Registering", "the machine is being registered"];
    case "updating":
      return ["False", "Updating", "the change is being applied"];
    case "blocked":
      return ["False", "Deleting", `in use by ${phase.by}`];
    case "refused":
      return ["False", phase.refusal.code, phase.refusal.message];
    case "waiting":
      return ["False", "Waiting", `waits for ${phase.reference.kind} ${phase.reference.name}`];
  }
}

const CODES = new Set(Object.values(REFUSALS).map((refuse) => refuse("")[0]));

/** The operator for Elemento, which has none of its own: condition Ready, and the machine's id and address. */
export const elemento: Family = {
  name: "elemento",
  groups: [GROUP],
  kinds: [...KINDS, CLUSTER],
  finalizer: `${GROUP}/finalizer`,
  adoptsChildren: false,
  topLevelGeneration: true,
  references: () => [],
  refusal,
  conditions: (phase) => {
    const [status, reason, message] = ready(phase);
    return [{ type: "Ready", status, reason, message }];
  },
  isReady: (resource) => conditionOf(resource, "Ready")?.["status"] === "True",
  isRefused: (resource) => CODES.has(String(conditionOf(resource, "Ready")?.["reason"])),
  exists: (resource) => textAt(resource.status, "vmId") !== null || textAt(resource.status, "serviceId") !== null,
  keepsOnDelete: (resource) => textAt(resource.spec, "deletionPolicy") === "retain",
};
