import type { TemplateDelegate } from "handlebars";
import { messageOf } from "../errors.ts";
import { isObject } from "../model/json.ts";
import type { MessageTemplates } from "../model/policy.ts";

const PARTS = ["message", "remedy"] as const;

/** Every template of data.landfall.texts by its name. What is not a text is kept, to be reported as broken. */
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
 * The denial texts of a bundle's data; null where it has none, so that Handlebars is only loaded where it is used.
 * Nothing is escaped: what comes out is text for a terminal. A value that a template names and that is not there breaks
 * the template, rather than leaving a hole in a sentence.
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
      // `compile` alone would find a mistake only when the first user is denied.
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
