import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import type { Tried, TriedPlacement } from "../../../../src/console/contract/trying.ts";
import { RequestError } from "../../api/request.ts";
import { isPassing } from "../../api/retry.ts";
import { Fact } from "../../ui/fact.tsx";
import { Latency, Time } from "../../ui/figures.tsx";
import { gramsText, UNKNOWN, usdText } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { useLate } from "../../ui/use-late.ts";
import { DenialText } from "./denial-text.tsx";
import type { Asked } from "./document/create-trier.ts";

interface OutcomeProps {
  asked: Asked<Tried>;
  /** Why nothing is asked; null if something is. */
  unread: string | null;
  onPatch: (patch: string) => void;
  onAgain: () => void;
}

function Placed({ placement }: { placement: TriedPlacement }): ReactElement {
  const { place, instanceType, start, end, usdPerHour, usd, grams, nowGrams } = placement;
  const per = end === null ? " per hour" : "";
  const saved = grams === null || nowGrams === null ? 0 : nowGrams - grams;
  return (
    <dl className="outcome-facts">
      <Fact name="Place">
        <strong>{place}</strong>
      </Fact>
      <Fact name="Start">
        <Time at={start} relative />
      </Fact>
      <Fact name="Machine type">{instanceType ?? UNKNOWN}</Fact>
      <Fact name="Price, list">
        {usdPerHour === null ? UNKNOWN : `${usdPerHour.toFixed(4)} USD/h`}
        {usd === null ? null : <span className="quiet"> ({usdText(usd)} for the run)</span>}
      </Fact>
      <Fact name="Carbon">
        {grams === null ? UNKNOWN : gramsText(grams) + per}
        {saved > 0.005 ? <span className="quiet"> (waiting saves {gramsText(saved)})</span> : null}
      </Fact>
      <Fact name="Latency, ms">
        <Latency ms={placement.latencyMs} estimate={placement.latencyEstimated} />
      </Fact>
    </dl>
  );
}

/** Who answered, and what that means. */
function Basis({ by, why }: Tried): ReactElement {
  return (
    <p className="quiet">
      {by === "cluster"
        ? "A dry run in the cluster with your rights: nothing was created."
        : `Decided by this console with its own bundle, without the cluster's load, quotas and forecasts: ${why}.`}
    </p>
  );
}

/** Whether it is allowed, or was before the last change. */
function Verdict({ isDenied, isStale }: { isDenied: boolean; isStale: boolean }): ReactElement {
  const said = isDenied ? "Denied" : "Allowed";
  if (isStale)
    return (
      <h2 className="state quiet">
        <Icon name="waiting" />
        {said} before the last change
      </h2>
    );
  return (
    <h2 className={isDenied ? "state state-denied" : "state state-running"}>
      <Icon name={isDenied ? "denied" : "ended"} />
      {said}
    </h2>
  );
}

interface AnswerProps {
  tried: Tried;
  /** It answers an earlier document, and the newer one has waited for long. */
  isStale: boolean;
  onPatch: OutcomeProps["onPatch"];
}

function Answer({ tried, isStale, onPatch }: AnswerProps): ReactElement {
  const { denials, placement, warnings } = tried;
  const isDenied = denials.length > 0;
  return (
    <>
      <Verdict isDenied={isDenied} isStale={isStale} />
      {placement === null ? null : <Placed placement={placement} />}
      {isDenied || placement !== null ? null : <p>The cluster takes it, but no webhook of Landfall decided on it.</p>}
      {isDenied ? (
        <ul className="denials">
          {denials.map((denial) => (
            <li key={denial.code + denial.message}>
              <DenialText denial={denial} onPatch={onPatch} />
            </li>
          ))}
        </ul>
      ) : null}
      {warnings.map((warning) => (
        <p key={warning} className="quiet">
          {warning}
        </p>
      ))}
      <Basis {...tried} />
    </>
  );
}

const problemText = (problem: unknown): string => {
  if (!(problem instanceof RequestError)) return String(problem);
  const { message, remedy } = problem.problem;
  return remedy === "" ? message : `${message}; ${remedy}`;
};

/** Why nothing is known. What passes is asked again on its own. */
function Unanswered({ problem, onAgain }: { problem: unknown; onAgain: () => void }): ReactElement {
  const passes = problem instanceof RequestError && isPassing(problem.problem.kind);
  return (
    <>
      <p role="alert">{problemText(problem)}</p>
      {passes ? null : (
        <Button className="plain" onPress={onAgain}>
          Check again
        </Button>
      )}
    </>
  );
}

/** An answer takes less, in ms: while someone types, nothing flickers. */
const LATE_MS = 2000;

/** The place, start and price of the document as it is, or its denials. */
export function Outcome({
  asked: { value, problem, isCurrent },
  unread,
  onPatch,
  onAgain,
}: OutcomeProps): ReactElement {
  const isLate = useLate(!isCurrent, LATE_MS);
  const wait = isCurrent ? "" : isLate ? "Checking: no answer yet" : "Checking";
  return (
    <section className="outcome" aria-label="What would happen" aria-busy={!isCurrent} data-current={isCurrent}>
      <p className="outcome-wait quiet" role="status">
        {unread ?? wait}
      </p>
      {problem !== null && unread === null ? <Unanswered problem={problem} onAgain={onAgain} /> : null}
      {value === null || problem !== null || unread !== null ? null : (
        <Answer tried={value} isStale={isLate} onPatch={onPatch} />
      )}
    </section>
  );
}
