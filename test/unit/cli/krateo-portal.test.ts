import { describe, expect, it } from "vitest";
import kaasCluster from "../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import vmTemplate from "../../../schemas/vm-template.schema.json" with { type: "json" };
import { checkAlone } from "../../../src/admission/decide/decide.ts";
import {
  type PortalNode,
  portalSchema,
  type SchemaNode,
} from "../../../src/cli/commands/krateo-portal/portal-schema.ts";
import { type Exported, portalWidgets, type Widget } from "../../../src/cli/commands/krateo-portal/portal-widgets.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";
import { NOW } from "../../support/admission.ts";
import { WIDGET_CHECKS } from "../../support/krateo/widget-schemas.ts";
import { loadPolicy } from "../../support/load-policy.ts";

const SCHEMAS: Readonly<Record<"VmTemplate" | "KaasCluster", SchemaNode>> = {
  ...{ VmTemplate: vmTemplate, KaasCluster: kaasCluster },
};
const KINDS = ["VmTemplate", "KaasCluster"] as const;

const exported = (kind: (typeof KINDS)[number], namespaces: readonly string[] = ["demo", "team-a"]): Exported =>
  portalWidgets({ kind, schema: SCHEMAS[kind], portal: "krateo-system", namespaces });

interface FormData {
  stringSchema: string;
  objectFields: { path: string; displayField: string }[];
  actions: { rest: { payload: Record<string, unknown>; payloadToOverride: { name: string; value: string }[] }[] };
}

function formOf({ widgets }: Exported): { data: FormData; schema: PortalNode } {
  const form = widgets.find(({ kind }) => kind === "Form");
  const data = form?.spec["widgetData"] as FormData;
  return { data, schema: JSON.parse(data.stringSchema) as PortalNode };
}

/** The dotted paths of all fields of a schema; `[]` for the entries of a list. */
function pathsOf(node: Pick<SchemaNode, "properties" | "items">, path = ""): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const own = path === "" ? name : `${path}.${name}`;
    if (child.properties !== undefined) return pathsOf(child, own);
    const entry = child.items?.properties === undefined ? undefined : child.items;
    return entry === undefined ? [own] : pathsOf(entry, `${own}[]`);
  });
}

/** The types that the portal has a control for, and a label. */
function withoutControl(node: PortalNode, path = ""): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const known = ["string", "integer", "boolean", "array", "object"].includes(child.type) && child.title !== undefined;
    const faults = known || name === "composition" ? [] : [`${path}${name}`];
    const inner = child.items?.properties === undefined ? child : child.items;
    return [...faults, ...(inner.properties === undefined ? [] : withoutControl(inner, `${path}${name}.`))];
  });
}

describe("the widgets for Krateo's portal", () => {
  it.each(KINDS)("are a Form and a Page of a %s that the portal's CRDs take", (kind) => {
    const { widgets } = exported(kind);
    expect(widgets.map((one) => one.kind)).toEqual(["Form", "Page"]);
    const faults = widgets.map((one: Widget) => {
      WIDGET_CHECKS[one.kind](one);
      return WIDGET_CHECKS[one.kind].errors;
    });
    expect(faults).toEqual([null, null]);
  });

  it.each(KINDS)("show every field of a %s in the author's order, or name it as omitted", (kind) => {
    const one = exported(kind);
    const { schema } = formOf(one);
    const shown = pathsOf(schema).filter((path) => !path.startsWith("composition."));
    const all = pathsOf(SCHEMAS[kind]);
    expect(all.filter((path) => !one.omitted.includes(path))).toEqual(shown);
    expect(one.omitted.length).toBeLessThanOrEqual(4);
    expect(withoutControl(schema)).toEqual([]);
  });

  it("have units in the labels, and the first example in the text", () => {
    const { schema } = portalSchema(vmTemplate);
    expect(schema.properties?.["memory"]).toEqual({
      ...{ type: "integer", title: "memory (GiB)", description: "Minimum memory in GiB. Example: 4" },
      ...{ minimum: 1, maximum: 100_000_000 },
    });
  });

  it("name a field for each entry of a list of maps, also of one within another", () => {
    expect(formOf(exported("KaasCluster")).data.objectFields).toEqual([
      { path: "nodePools", displayField: "name" },
      { path: "taints", displayField: "key" },
    ]);
  });

  it("offer the namespaces that were given, and a field where none was", () => {
    const namespaceOf = (one: Exported): PortalNode | undefined =>
      formOf(one).schema.properties?.["composition"]?.properties?.["namespace"];
    expect(namespaceOf(exported("VmTemplate"))).toMatchObject({ enum: ["demo", "team-a"], default: "demo" });
    expect(namespaceOf(exported("VmTemplate", []))).not.toHaveProperty("enum");
  });

  it("send an object that the bundle allows, whose spec are the fields without those of the form itself", async () => {
    const { data } = formOf(exported("VmTemplate"));
    const [action] = data.actions.rest;
    expect(action?.payloadToOverride.map(({ name }) => name)).toEqual(["metadata.name", "metadata.namespace", "spec"]);
    expect(action?.payloadToOverride.at(-1)?.value).toMatch(/^\$\{ \.json \| del\(\.composition\) \| .* \}$/);
    const object = { ...action?.payload, metadata: { name: "web", namespace: "demo" }, spec: { cpu: 2, memory: 4 } };
    const decision = checkAlone({
      ...{
        kind: "VmTemplate",
        object: object as unknown as WorkloadObject,
        policy: await loadPolicy(),
        nowSeconds: NOW,
      },
      ...{ namespace: { name: "demo", labels: {}, annotations: {} }, relatedWorkloads: null, operation: "CREATE" },
    });
    expect(decision.denials).toEqual([]);
  });
});
