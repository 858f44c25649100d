import { type ReactElement, useId, useState } from "react";
import { Button } from "react-aria-components";
import type { TriedDenial } from "../../../../../src/console/contract/trying.ts";
import { fieldOf, type Path, valueAt } from "../document/manifest.ts";
import { choicesOf, type SchemaNode } from "../document/schema.ts";
import { DenialText } from "../denial-text.tsx";
import { controlOf, shownValue, typedValue } from "./field-value.ts";

/** The part of a form that its fields share. */
export interface FormSource {
  /** The whole object. */
  value: unknown;
  denials: readonly TriedDenial[];
  /** Whether fields without a value are shown. */
  isAll: boolean;
  onChange: (path: Path, value: unknown) => void;
  onPatch: (patch: string) => void;
}

interface FieldProps {
  form: FormSource;
  node: SchemaNode;
  path: Path;
  isRequired: boolean;
}

const nameOf = (path: Path): string => String(path.at(-1) ?? "");

interface ControlProps {
  id: string;
  describedBy: string;
  isWrong: boolean;
  node: SchemaNode;
  text: string;
  isRequired: boolean;
  onText: (text: string) => void;
}

function Choice({ id, describedBy, isWrong, node, text, isRequired, onText }: ControlProps): ReactElement {
  const choices = choicesOf(node);
  return (
    <select
      {...{ id, value: text, required: isRequired, "aria-describedby": describedBy, "aria-invalid": isWrong }}
      onChange={({ target }) => {
        onText(target.value);
      }}
    >
      <option value="">not set</option>
      {choices.includes(text) || text === "" ? null : <option value={text}>{text}</option>}
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </select>
  );
}

function Text({ id, describedBy, isWrong, node, text, isRequired, onText }: ControlProps): ReactElement {
  const isLong = ["long", "lines", "pairs"].includes(controlOf(node));
  // An unfinished line of a list is not a value yet: the typed text stays as it is until the value changes elsewhere.
  const [typed, setTyped] = useState(text);
  const same = shownValue(node, typedValue(node, typed)) === text;
  const shared = {
    ...{ id, value: same ? typed : text, required: isRequired, spellCheck: false, autoComplete: "off" },
    ...{ "aria-describedby": describedBy, "aria-invalid": isWrong },
    placeholder: shownValue(node, node.examples?.[0]),
  };
  const changed = (value: string): void => {
    setTyped(value);
    onText(value);
  };
  if (isLong)
    return (
      <textarea
        {...shared}
        rows={Math.min(8, 1 + text.split("\n").length)}
        onChange={({ target }) => changed(target.value)}
      />
    );
  return (
    <input
      {...shared}
      inputMode={controlOf(node) === "number" ? "numeric" : "text"}
      onChange={({ target }) => changed(target.value)}
    />
  );
}

const HINTS: Readonly<Partial<Record<string, string>>> = {
  lines: " One a line.",
  pairs: " Write name=value, one a line.",
};

/** One value, with its unit, its description and what denies it. */
function Scalar({ form, node, path, isRequired }: FieldProps): ReactElement {
  const id = useId();
  const denials = form.denials.filter(({ field }) => field === fieldOf(path));
  const unit = node["x-unit"];
  const Control = controlOf(node) === "choice" ? Choice : Text;
  return (
    <div className="field">
      <label htmlFor={id}>
        {nameOf(path)}
        {unit === undefined ? null : <span className="quiet">, {unit}</span>}
        {isRequired ? <span className="quiet"> (required)</span> : null}
      </label>
      <Control
        {...{ id, node, isRequired, describedBy: `${id}-about`, isWrong: denials.length > 0 }}
        text={shownValue(node, valueAt(form.value, path))}
        onText={(text) => {
          form.onChange(path, typedValue(node, text));
        }}
      />
      <div id={`${id}-about`} className="field-about">
        {denials.map((denial) => (
          <DenialText key={denial.code + denial.message} denial={denial} onPatch={form.onPatch} />
        ))}
        <span className="quiet">
          {node.description ?? node.title}
          {HINTS[controlOf(node)]}
        </span>
      </div>
    </div>
  );
}

function Groups({ form, node, path }: FieldProps): ReactElement {
  const found = valueAt(form.value, path);
  const entries: unknown[] = Array.isArray(found) ? found : [];
  const { items = {} } = node;
  const first = Object.fromEntries(
    (items.required ?? []).map((name) => [name, items.properties?.[name]?.examples?.[0] ?? ""]),
  );
  return (
    <fieldset className="group">
      <legend>{nameOf(path)}</legend>
      <p className="quiet">{node.description}</p>
      {entries.map((_, at) => (
        <fieldset key={at} className="group">
          <legend>
            {nameOf(path)} {at + 1}
          </legend>
          <Fields form={{ ...form, isAll: true }} node={items} path={[...path, at]} />
          <Button className="plain" onPress={() => form.onChange([...path, at], undefined)}>
            Remove {nameOf(path)} {at + 1}
          </Button>
        </fieldset>
      ))}
      <Button className="plain" onPress={() => form.onChange([...path, entries.length], first)}>
        Add to {nameOf(path)}
      </Button>
    </fieldset>
  );
}

function Field(props: FieldProps): ReactElement {
  const { form, node, path } = props;
  const control = controlOf(node);
  if (control === "groups") return <Groups {...props} />;
  if (control === "group")
    return (
      <fieldset className="group">
        <legend>{nameOf(path)}</legend>
        <p className="quiet">{node.description}</p>
        <Fields form={form} node={node} path={path} />
      </fieldset>
    );
  if (control === "yaml")
    return (
      <p className="quiet">
        {nameOf(path)}: write it in the YAML. {node.description}
      </p>
    );
  return <Scalar {...props} />;
}

/** The fields of a map in the order of its schema: all, or those that are required, set or denied. */
export function Fields({ form, node, path }: Pick<FieldProps, "form" | "node" | "path">): ReactElement {
  const required = node.required ?? [];
  const isShown = (name: string): boolean =>
    form.isAll ||
    required.includes(name) ||
    valueAt(form.value, [...path, name]) !== undefined ||
    form.denials.some(({ field }) => field?.startsWith(fieldOf([...path, name])) === true);
  const shown = Object.entries(node.properties ?? {}).filter(([name]) => isShown(name));
  return (
    <div className="fields">
      {shown.map(([name, child]) => (
        <Field key={name} form={form} node={child} path={[...path, name]} isRequired={required.includes(name)} />
      ))}
    </div>
  );
}
