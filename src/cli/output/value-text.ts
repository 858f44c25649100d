import {
  type CreateNodeOptions,
  type DocumentOptions,
  type SchemaOptions,
  stringify,
  type ToStringOptions,
} from "yaml";
import { KUBERNETES_YAML } from "../../model/formats/kubernetes-yaml.ts";
import { hasUnseen, neutralise } from "../../model/text/neutralise.ts";

/** A value as JSON; characters that no one sees are escaped, so it is the same value when it is read again. */
export const jsonText = (value: unknown): string => neutralise(JSON.stringify(value, null, 2));

type YamlOptions = DocumentOptions & SchemaOptions & CreateNodeOptions & ToStringOptions;

/** A value as YAML, likewise: only quoted texts know escapes. */
export function yamlText(value: unknown, options: YamlOptions = {}): string {
  const text = stringify(value, { ...KUBERNETES_YAML, ...options });
  if (!hasUnseen(text)) return text;
  const quoted = { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "QUOTE_DOUBLE", lineWidth: 0 } as const;
  return neutralise(stringify(value, { ...KUBERNETES_YAML, ...options, ...quoted }));
}
