import { ANNOTATION, API_VERSION, type Kind, OBJECT_VERSION, PLURAL } from "../../../model/names.ts";
import { type PortalNode, portalSchema, type SchemaNode } from "./portal-schema.ts";

/** A widget of Krateo's portal. */
export interface Widget {
  apiVersion: typeof WIDGETS;
  kind: "Form" | "Page";
  metadata: { name: string; namespace: string; labels: Record<string, string> };
  spec: Record<string, unknown>;
}

export interface WidgetOptions {
  kind: Kind;
  schema: SchemaNode;
  /** The namespace of the widgets. */
  portal: string;
  /** The namespaces that objects may be created in; any if there are none. */
  namespaces: readonly string[];
}

export interface Exported {
  kind: Kind;
  widgets: Widget[];
  /** Fields that the portal's form cannot show. */
  omitted: string[];
}

const WIDGETS = "widgets.templates.krateo.io/v1beta1";

/** Names of the form's own fields, which are not part of the spec. */
const OWN = "composition";
const SUBMIT = "create";

const TEXTS: Readonly<Record<Kind, string>> = { VmTemplate: "Virtual machine", KaasCluster: "Kubernetes cluster" };

/** A form sends empty texts and lists for fields that were emptied; none of them is a value of a spec. */
const WITHOUT_EMPTY =
  'walk(if type == "object" then with_entries(select(.value != null and .value != "" and .value != [] and .value != {})) else . end)';

/** The decision of the answer, as a sentence; empty where there is none. */
const CHOICE =
  `((.response.metadata.annotations["${ANNOTATION.decision}"] // "{}") | fromjson | .placement // {} | ` +
  'if .provider then ": " + .provider + "/" + .region + ", start " + .start else "" end)';

function named(namespaces: readonly string[]): PortalNode {
  const [first] = namespaces;
  return {
    type: "object",
    properties: {
      name: { type: "string", title: "name", description: "The name of the object in its namespace." },
      namespace: {
        ...{ type: "string", title: "namespace", description: "The namespace whose rules and quotas apply." },
        ...(first === undefined ? {} : { enum: namespaces, default: first }),
      },
    },
    required: ["name", "namespace"],
  };
}

function formOf(
  { kind, schema, portal, namespaces }: WidgetOptions,
  name: string,
): { form: Widget; omitted: string[] } {
  const { schema: spec, omitted, lists } = portalSchema(schema);
  const whole = {
    type: "object",
    properties: { [OWN]: named(namespaces), ...spec.properties },
    required: [OWN, ...(spec.required ?? [])],
  };
  const action = {
    ...{ id: SUBMIT, type: "rest", resourceRefId: SUBMIT, headers: ["Content-Type: application/json"] },
    payload: { apiVersion: API_VERSION, kind },
    payloadToOverride: [
      { name: "metadata.name", value: `\${ .json.${OWN}.name }` },
      { name: "metadata.namespace", value: `\${ .json.${OWN}.namespace }` },
      { name: "spec", value: `\${ .json | del(.${OWN}) | ${WITHOUT_EMPTY} }` },
    ],
    successMessage: `\${ "Created ${kind} " + .response.metadata.namespace + "/" + .response.metadata.name + ${CHOICE} }`,
    errorMessage: "${ .response.message }",
    loading: { display: true },
  };
  const form: Widget = {
    ...{ apiVersion: WIDGETS, kind: "Form", metadata: metadataOf(name, portal) },
    spec: {
      widgetData: {
        ...{ stringSchema: JSON.stringify(whole, null, 2), submitActionId: SUBMIT, fieldDescription: "inline" },
        buttonConfig: { primary: { label: "Create" }, secondary: { label: "Clear" } },
        ...(lists.length === 0 ? {} : { objectFields: lists }),
        actions: { rest: [action] },
      },
      resourcesRefs: {
        items: [
          {
            id: SUBMIT,
            apiVersion: API_VERSION,
            resource: PLURAL[kind],
            namespace: namespaces[0] ?? "default",
            verb: "POST",
          },
        ],
      },
    },
  };
  return { form, omitted };
}

const metadataOf = (name: string, namespace: string): Widget["metadata"] => ({
  ...{ name, namespace, labels: { "app.kubernetes.io/part-of": "landfall" } },
});

/** A Form that creates objects of a kind, and a Page that shows it. Pure. */
export function portalWidgets(options: WidgetOptions): Exported {
  const { kind, portal } = options;
  const name = `landfall-${PLURAL[kind]}-${OBJECT_VERSION}`;
  const { form, omitted } = formOf(options, name);
  const page: Widget = {
    ...{ apiVersion: WIDGETS, kind: "Page", metadata: metadataOf(name, portal) },
    spec: {
      widgetData: { title: TEXTS[kind], allowedResources: ["forms"], items: [{ resourceRefId: "form" }] },
      resourcesRefs: {
        items: [{ id: "form", apiVersion: WIDGETS, name, namespace: portal, resource: "forms", verb: "GET" }],
      },
    },
  };
  return { kind, widgets: [form, page], omitted };
}
