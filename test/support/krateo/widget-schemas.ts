import { Ajv, type ValidateFunction } from "ajv";

// What the CRDs of Krateo's portal accept of the widgets that Landfall writes, under strict field validation. Written by hand from
// crd-chart/templates/Form.crd.yaml and Page.crd.yaml of github.com/krateoplatformops/frontend-chart, 2026-06-16 (1d74779).

const text = { type: "string" } as const;
const map = (properties: object, required: readonly string[] = []): object => ({
  ...{ type: "object", additionalProperties: false, properties, required },
});
const list = (items: object): object => ({ type: "array", items });

const REFERENCES = map({
  items: list(
    map(
      {
        ...{ apiVersion: text, id: text, name: text, namespace: text, resource: text, payload: { type: "object" } },
        verb: { enum: ["POST", "PUT", "PATCH", "DELETE", "GET"] },
      },
      ["id"],
    ),
  ),
});

const REST = map(
  {
    ...{ id: text, resourceRefId: text, errorMessage: text, successMessage: text, onSuccessNavigateTo: text },
    type: { enum: ["rest"] },
    headers: list(text),
    requireConfirmation: { type: "boolean" },
    payload: { type: "object" },
    payloadToOverride: list(map({ name: text, value: text }, ["name", "value"])),
    loading: map({ display: { type: "boolean" } }, ["display"]),
  },
  ["headers", "id", "type", "resourceRefId"],
);

const BUTTON = map({ label: text, icon: text });

const FORM = map(
  {
    actions: map({ rest: list(REST) }),
    buttonConfig: map({ primary: BUTTON, secondary: BUTTON }),
    objectFields: list(map({ path: text, displayField: text }, ["path", "displayField"])),
    fieldDescription: { enum: ["tooltip", "inline"] },
    ...{ stringSchema: text, submitActionId: text },
  },
  ["actions", "submitActionId"],
);

const PAGE = map(
  { title: text, allowedResources: list(text), items: list(map({ resourceRefId: text }, ["resourceRefId"])) },
  ["allowedResources", "items"],
);

const widget = (kind: string, widgetData: object): ValidateFunction =>
  new Ajv({ strict: false, allErrors: true }).compile(
    map(
      {
        apiVersion: { const: "widgets.templates.krateo.io/v1beta1" },
        kind: { const: kind },
        metadata: { type: "object" },
        spec: map({ widgetData, resourcesRefs: REFERENCES }, ["widgetData"]),
      },
      ["apiVersion", "kind", "metadata", "spec"],
    ),
  );

/** The faults of a widget by the portal's CRDs. */
export const WIDGET_CHECKS: Readonly<Record<"Form" | "Page", ValidateFunction>> = {
  Form: widget("Form", FORM),
  Page: widget("Page", PAGE),
};
