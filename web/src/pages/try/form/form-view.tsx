import { useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { CheckboxButton, CheckboxField } from "react-aria-components";
import type { Form } from "../../../../../src/console/contract/trying.ts";
import { useChangeSearch } from "../../../address/use-change-search.ts";
import { type SchemaNode, schemaAt } from "../document/schema.ts";
import type { Draft } from "../use-draft.ts";
import { Fields, type FormSource } from "./field.tsx";

const FROM: Readonly<Record<Form["from"], string>> = {
  chart: "The fields are those of the chart that the cluster serves.",
  cluster: "The fields are those that the API server publishes; their order is that of this release.",
  release: "The cluster does not publish its fields to you: these are those of this release.",
};

/** Name and namespace: labels and annotations are written in the YAML. */
function namedBy(schema: SchemaNode): SchemaNode {
  const metadata = schemaAt(schema, ["metadata"]) ?? {};
  const { name = {}, namespace = {} } = metadata.properties ?? {};
  return { ...metadata, properties: { name, namespace } };
}

interface FormViewProps {
  draft: Draft;
  schema: SchemaNode;
  from: Form["from"];
}

/** The document as a form. */
export function FormView({ draft, schema, from }: FormViewProps): ReactElement {
  const { fields } = useSearch({ from: "/try" });
  const change = useChangeSearch();
  const isAll = fields === "all";
  const { document, asked } = draft;
  const denials = asked.problem === null ? (asked.value?.denials ?? []) : [];
  const form: FormSource = {
    ...{ value: document.value, denials, isAll, onChange: draft.setValue, onPatch: draft.takePatch },
  };
  return (
    <section aria-label="Form" className="try-form">
      <div className="section-head">
        <h2>Form</h2>
        <CheckboxField isSelected={isAll} onChange={(all) => change({ fields: all ? "all" : undefined })}>
          <CheckboxButton className="checkbox">
            <span className="box" aria-hidden="true" />
            All fields
          </CheckboxButton>
        </CheckboxField>
      </div>
      {document.value === null ? (
        <p>The form continues when the YAML is correct.</p>
      ) : (
        <>
          <Fields form={{ ...form, isAll: true }} node={namedBy(schema)} path={["metadata"]} />
          <Fields form={form} node={schemaAt(schema, ["spec"]) ?? {}} path={["spec"]} />
        </>
      )}
      <p className="quiet">{FROM[from]}</p>
    </section>
  );
}
