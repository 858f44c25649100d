import type { ReactElement } from "react";
import type { Explanation } from "../../../../src/console/contract/object.ts";

type Step = Explanation["funnel"][number];

/** `landfall/residency.rego:19` */
export const sourceText = ({ source }: Step): string =>
  source === null ? "" : `${source.file}:${String(source.line)}`;

/** The text of a step without the number that remains. */
const labelOf = ({ text }: Step): string => text.replace(/: [^:]* remains?$/, "");

/** Which rule left how many places, in the order of the rules. The bar repeats the number. */
export function Funnel({ considered, steps }: { considered: number; steps: readonly Step[] }): ReactElement {
  const all = { rule: "", text: "All places", remaining: considered, source: null };
  return (
    <section>
      <h2>How the rules narrowed the places</h2>
      <ol className="funnel">
        {[all, ...steps].map((step, at) => (
          <li key={step.rule}>
            <span className="funnel-text">
              {labelOf(step)}
              {step.source === null ? null : <code className="quiet">{sourceText(step)}</code>}
            </span>
            <span className="share" aria-hidden="true">
              <span style={{ width: `${String((100 * step.remaining) / Math.max(1, considered))}%` }} />
            </span>
            <span className="funnel-count">
              {step.remaining} {at === 0 ? "considered" : step.remaining === 1 ? "remains" : "remain"}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
