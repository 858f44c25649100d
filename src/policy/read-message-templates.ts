import type { TemplateDelegate } from "handlebars";
import { messageOf } from "../errors.ts";
import { isObject } from "../model/json.ts";
import type { MessageTemplates } from "../model/policy.ts";

const PARTS = ["message", "remedy"] as const;

/** Every template of data.landfall.texts by name. Values that are not texts are kept, to be reported as broken. */
function templates(data: Record<string, unknown>): Map<string, unknown> {
  const root = isObject(data["landfall"]) ? data["landfall"] : {};
  const texts = isObject(root["texts"]) ? root["texts"] : {};
  const byCode = isObject(texts["denials"]) ? Object.entries(texts["denials"]) : [];
  const found = byCode.flatMap(([code, entry]) =>
    PARTS.map((part) => [`denials.${code}.${part}`, isObject(entry) ? entry[part] : entry] as const),
  );
  const named = [["denial", texts["denial"]] as const, ...found];
  return new Map(named.filter(([, text]) => text !== undefined && text !== null));
}

const firstLine = (thrown: unknown): string => messageOf(thrown).split("\n")[0] ?? "";

/**
 * The denial templates of a bundle's data; null if it has none, so that Handlebars is only loaded if used. Nothing is
 * escaped, because the output is text for a terminal. A missing value fails the template instead of leaving a gap in a
 * sentence.
 */
export async function readMessageTemplates(data: Record<string, unknown>): Promise<MessageTemplates | null> {
  const found = templates(data);
  if (found.size === 0) return null;
  const { default: handlebars } = await import("handlebars");
  const broken = new Map<string, string>();
  const compiled = new Map<string, TemplateDelegate>();
  for (const [name, text] of found) {
    try {
      if (typeof text !== "string") throw new TypeError("it is not a string");
      // `compile` alone would report an error only at the first denial.
      handlebars.parse(text);
      compiled.set(name, handlebars.compile(text, { noEscape: true, strict: true }));
    } catch (thrown) {
      broken.set(name, firstLine(thrown));
    }
  }
  return {
    broken,
    render(name, values) {
      const unread = broken.get(name);
      if (unread !== undefined) return { broken: unread };
      try {
        const text = compiled.get(name)?.(values).trim();
        return text === undefined ? null : { text };
      } catch (thrown) {
        return { broken: firstLine(thrown) };
      }
    },
  };
}
