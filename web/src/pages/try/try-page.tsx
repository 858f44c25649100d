import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type ReactElement, useMemo } from "react";
import type { Cluster } from "../../../../src/console/contract/cluster.ts";
import type { Form, Forms } from "../../../../src/console/contract/trying.ts";
import { useChangeSearch } from "../../address/use-change-search.ts";
import { clusterQuery, formsQuery } from "../../api/queries.ts";
import { Page } from "../../ui/page.tsx";
import { Empty, Loading, ProblemView } from "../../ui/problem-view.tsx";
import { Select } from "../../ui/select.tsx";
import { Apply } from "./apply.tsx";
import { written } from "./document/manifest.ts";
import { firstObject, objectSchema, type SchemaNode } from "./document/schema.ts";
import { Editor } from "./editor/editor.tsx";
import { FormView } from "./form/form-view.tsx";
import { Outcome } from "./outcome.tsx";
import { useDraft } from "./use-draft.ts";

interface TryingProps {
  form: Form;
  forms: Forms;
  namespace: string;
  server: string;
}

/** One document, as form and as YAML, with what would happen to it. */
function Trying({ form, forms, namespace, server }: TryingProps): ReactElement {
  const { kind, apiVersion } = form;
  const spec = useMemo(() => JSON.parse(form.schema) as SchemaNode, [form.schema]);
  const schema = useMemo(() => objectSchema(spec, { apiVersion, kind }), [spec, apiVersion, kind]);
  const first = (): string => written(firstObject(spec, { apiVersion, kind, namespace }));
  const draft = useDraft({ kind, namespace, first });
  const { text, document, asked, setText, takePatch } = draft;
  const unread = document.value === null ? `The YAML is not correct: ${document.faults[0]?.message ?? ""}` : null;
  return (
    <>
      <Outcome asked={asked} unread={unread} onPatch={takePatch} onAgain={draft.tryAgain} />
      <Apply yaml={text} manifest={draft.manifest} asked={asked} server={server} />
      <div className="try-views">
        <FormView draft={draft} schema={schema} from={form.from} />
        <section aria-label="Editor" className="try-editor">
          <div className="section-head">
            <h2>YAML</h2>
            <span className="quiet">Ctrl-Space completes; Escape, then Tab leaves the editor.</span>
          </div>
          <Editor text={text} schema={schema} known={forms} diagnostics={draft.diagnostics} onChange={setText} />
        </section>
      </div>
    </>
  );
}

interface ChosenProps {
  form: Form | undefined;
  forms: Forms | undefined;
  cluster: Cluster | undefined;
  namespace: string | undefined;
}

function Chosen({ form, forms, cluster, namespace }: ChosenProps): ReactElement {
  if (forms === undefined || cluster === undefined) return <Loading what="the forms" lines={12} />;
  if (form === undefined) return <Empty title="The cluster serves none of Landfall's kinds" />;
  const own = namespace ?? cluster.namespace;
  return <Trying key={form.kind} form={form} forms={forms} namespace={own} server={cluster.server} />;
}

/** The forms that were read stay, with the draft, if a later read fails: the page says so above. */
function Content({ problem, ...chosen }: ChosenProps & { problem: unknown }): ReactElement {
  const isRead = chosen.forms !== undefined && chosen.cluster !== undefined;
  return isRead || problem === null ? <Chosen {...chosen} /> : <ProblemView problem={problem} />;
}

/** An object that is written and tried before it is created. */
export function TryPage(): ReactElement {
  const { kind, namespace } = useSearch({ from: "/try" });
  const change = useChangeSearch();
  const { data: forms, error } = useQuery(formsQuery());
  const { data: cluster, error: unreached } = useQuery(clusterQuery());
  const all = forms?.forms ?? [];
  const form = all.find((one) => one.kind === kind) ?? all[0];
  const choices = all.map((one) => ({ value: one.kind, text: one.kind }));
  const choice = (
    <Select label="Kind" choices={choices} value={form?.kind ?? ""} onChange={(chosen) => change({ kind: chosen })} />
  );
  return (
    <Page
      title="Try"
      about="Write an object, and see where, when and for how much it would run before you create it."
      actions={form === undefined ? null : choice}
    >
      <Content problem={error ?? unreached} form={form} forms={forms} cluster={cluster} namespace={namespace} />
    </Page>
  );
}
