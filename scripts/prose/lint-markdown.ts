import { createRequire } from "node:module";
import type * as plugin from "@textlint/textlint-plugin-markdown";
import { TextlintKernel, type TextlintMessage } from "@textlint/kernel";
import type { TextlintFilterRuleReporter, TextlintRuleReporter } from "@textlint/types";
import type { Rules } from "./open-rules.ts";
import { excuse, type Problem } from "./problem.ts";

// A CommonJS module whose default export Node and vitest would unwrap differently.
const { default: markdown } = createRequire(import.meta.url)(
  "@textlint/textlint-plugin-markdown",
) as typeof plugin.default;

type Node = Parameters<NonNullable<ReturnType<TextlintRuleReporter>["Paragraph"]>>[0] | MarkdownNode;
interface MarkdownNode {
  readonly type: string;
  readonly range: readonly [number, number];
  readonly children?: readonly MarkdownNode[];
  readonly value?: string;
}

/** The words of `node` at their places in `source`; markup is blank, and code is one word of the same length. */
function visibleText(node: MarkdownNode, source: string): string {
  const [start, end] = node.range;
  const text = Array.from({ length: end - start }, () => " ");
  const visit = (part: MarkdownNode): void => {
    const [from, to] = part.range;
    if (part.type === "Str") for (let at = from; at < to; at++) text[at - start] = source.charAt(at);
    if (part.type === "Code") text.fill("X", from - start, to - start);
    for (const child of part.children ?? []) visit(child);
  };
  visit(node);
  return text.join("");
}

const reporter =
  (rules: Rules): TextlintRuleReporter =>
  (context) => {
    const { Syntax, RuleError, report, locator } = context;
    const check = (node: Node): void => {
      const source = context.getSource();
      const text = visibleText(node, source);
      for (const { index, length, message } of rules.text(text))
        report(node as never, new RuleError(message, { padding: locator.range([index, index + length]) }));
    };
    return { [Syntax.Paragraph]: check, [Syntax.Header]: check, [Syntax.TableCell]: check };
  };

/** `<!-- prose-ok: REASON -->` excuses the block after it. */
const excused: TextlintFilterRuleReporter = (context) => ({
  [context.Syntax.Html](node) {
    if (excuse(context.getSource(node)) === undefined) return;
    const siblings = node.parent?.children ?? [];
    const next = siblings[siblings.indexOf(node) + 1];
    if (next !== undefined) context.shouldIgnore([node.range[0], next.range[1]], { ruleId: "*" });
  },
});

/** What the rules find in the paragraphs, headings, lists and tables of a Markdown file; code blocks are left alone. */
export async function lintMarkdown(file: string, text: string, rules: Rules): Promise<Problem[]> {
  const { messages } = await new TextlintKernel().lintText(text, {
    ext: ".md",
    filePath: file,
    plugins: [{ pluginId: "markdown", plugin: markdown }],
    rules: [{ ruleId: "landfall", rule: reporter(rules) }],
    filterRules: [{ ruleId: "prose-ok", rule: excused }],
  });
  return messages.map(({ loc, message }: TextlintMessage) => ({ file, line: loc.start.line, message }));
}
