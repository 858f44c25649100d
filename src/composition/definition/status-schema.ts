import type { Schema } from "./convert-schema.ts";

const text = (description: string): Schema => ({ type: "string", description });

const CONDITION: Schema = {
  type: "object",
  required: ["lastTransitionTime", "reason", "status", "type"],
  properties: {
    lastTransitionTime: { ...text("When status last changed."), format: "date-time" },
    message: text("What a person should know about it."),
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

/** `status` of a composition; the fields are Krateo's. */
export const STATUS_SCHEMA: Schema = {
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
