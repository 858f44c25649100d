import kaasCluster from "../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import vmTemplate from "../../../schemas/vm-template.schema.json" with { type: "json" };
import type { Kind } from "../../model/names.ts";
import type { SchemaNode } from "../../model/wrong-value/schema-node.ts";

/** The schema of each kind's spec, with what it says for messages. */
export const SCHEMAS: Readonly<Record<Kind, SchemaNode>> = { VmTemplate: vmTemplate, KaasCluster: kaasCluster };
