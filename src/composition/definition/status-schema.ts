import { isObject } from "../../model/json.ts";
import type { Schema } from "./convert-schema.ts";

const text = (description: string): Schema => ({ type: "string", description });
const texts = (description: string): Schema => ({ type: "array", description, items: { type: "string" } });

const CONDITION: Schema = {
  type: "object",
  required: ["lastTransitionTime", "reason", "status", "type"],
  properties: {
    lastTransitionTime: { ...text("When status last changed."), format: "date-time" },
    message: text("An explanation for users."),
    reason: text("One word for the state, in CamelCase."),
    status: text("True, False or Unknown."),
    type: text("Which aspect this is about; each type stands here once."),
  },
};

const MANAGED: Schema = {
  type: "object",
  properties: {
    apiVersion: text("Its apiVersion."),
    name: text("Its name."),
    namespace: text("Its namespace."),
    path: text("Where the API server serves it."),
    resource: text("Its kind as the plural of the path."),
  },
};

const POOL: Schema = {
  type: "object",
  properties: {
    name: text("Its name."),
    desired: { type: "integer", description: "Nodes that it is to have at least." },
    ready: {
      type: "integer",
      description: "Of these, the ones that the provider says are there; omitted where no one counts them.",
    },
    error: text("The error with which its provider made it, until it changes, or with which it was not deleted."),
    errorOf: text("The uid of the resource that the error is about; its generation if a change of it ends the error."),
  },
};

/** Status fields of a managed cluster, for all providers. */
const CLUSTER: Record<string, Schema> = {
  clusterUid: text("The uid of its control plane's resource, of which the other fields say something."),
  endpoint: text("Where its API server is reached."),
  version: text("The Kubernetes version that runs."),
  providerState: text("The state of its control plane that its provider last said; omitted as long as it has none."),
  pools: { type: "array", description: "Its pools.", items: POOL },
  kubeconfigSecret: text("Name of the Secret with its kubeconfig under the key kubeconfig."),
};

const PLANNED: Schema = {
  type: "object",
  description: "The decided run, for the columns of kubectl get.",
  properties: {
    starts: text("When it starts, or started."),
    ends: text("When it ends, or ended; - for never."),
    pricePerHour: text("List price in USD per hour; - if it is unknown."),
    gramsCO2: text("CO2e in grams of the whole run, or per hour (/h); - if it is unknown."),
  },
};

const MACHINE: Schema = {
  type: "object",
  description: "The machine at its provider, as the provider's operator reports it.",
  properties: {
    id: text("Its id."),
    previousId: text("The id of the machine in whose place its operator made this one, unplanned."),
    resource: text("Its full name: an ARM id, an ARN or a self link."),
    publicAddresses: texts("Where it is reached from outside."),
    privateAddresses: texts("Where it is reached from its network."),
    disks: {
      type: "array",
      description: "Its disks.",
      items: {
        type: "object",
        properties: { name: text("As in spec.disks; os for the machine's own."), id: text("Its id.") },
      },
    },
  },
};

const time = (description: string): Schema => ({ ...text(description), format: "date-time" });

const RUN: Schema = {
  type: "object",
  description: "Its run, if it has a duration or a limit.",
  properties: {
    id: text("The value of landfall.dev/run that asked for it."),
    started: time("When it started."),
    ended: time("When it was over."),
    by: text("By whom its end was found: time, limit, provider, annotation, machine or eviction."),
    outcome: text("succeeded, failed or unknown."),
    evictions: { type: "integer", description: "How often its spot machine was evicted; omitted if it never was." },
    zones: {
      type: "integer",
      description: "How often it got another zone of its region, because its provider had no machine in its own.",
    },
    sizes: {
      type: "integer",
      description: "How often it got another size, because its provider had no machine of its own.",
    },
    places: {
      type: "integer",
      description: "How often it continued in another place, because its provider had no machine.",
    },
    hours: text("Hours that it took."),
    usd: text("Its cost at list price, in USD."),
    gramsCO2: text("CO2e in grams, as it was decided."),
  },
};

const STATUS: Schema = {
  type: "object",
  properties: {
    conditions: { type: "array", description: "How the composition is doing.", items: CONDITION },
    digest: { ...text("Digest of the resources that the release holds."), default: "" },
    helmChartUrl: text("Where the chart came from."),
    helmChartVersion: text("The chart's version."),
    managed: { type: "array", description: "The resources that the release holds.", items: MANAGED },
    previousDigest: { ...text("The digest before the last change."), default: "" },
  },
};

/** Status fields of what has a duration. */
const OF_RUNS: Record<string, Schema> = {
  startsAt: time("When its run started."),
  endsAt: time("When its run is over."),
  deletesAt: time("When its resources are deleted."),
  pausedUntil: time("When its run is resumed, while it is paused."),
  run: RUN,
};

/** `status` of a composition: Krateo's fields, those of what has a start and of runs, and those of a machine or a cluster, by the chart's values. */
export function statusSchema(values: Schema): Schema {
  const fields = isObject(values["properties"]) ? values["properties"] : {};
  const properties = {
    ...(STATUS["properties"] as Record<string, Schema>),
    ...("schedulingTime" in fields ? { planned: PLANNED } : {}),
    ...("duration" in fields ? OF_RUNS : {}),
    ...("instanceType" in fields ? { machine: MACHINE } : {}),
    ...("nodePools" in fields ? CLUSTER : {}),
  };
  return { ...STATUS, properties };
}
