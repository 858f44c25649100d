import type { ReactElement } from "react";
import type { Quota } from "../../../../src/console/contract/policies.ts";
import { Icon } from "../../ui/icon.tsx";

/** `64 of 64 vCPU`, marked if it is full; the limit alone where its use is not known. */
function One({ what, limit, used }: Quota): ReactElement {
  if (used === null)
    return (
      <span className="state">
        limit {limit} {what}, <span className="quiet">used: cannot be read</span>
      </span>
    );
  const isFull = used >= limit;
  return (
    <span className={isFull ? "state state-failing" : "state"}>
      {isFull ? <Icon name="failing" /> : null}
      {used} of {limit} {what}
    </span>
  );
}

/** The quotas of a namespace. */
export const QuotaText = ({ quotas }: { quotas: readonly Quota[] }): ReactElement =>
  quotas.length === 0 ? (
    <span className="quiet">no quota</span>
  ) : (
    <span className="states">
      {quotas.map((quota) => (
        <One key={quota.what} {...quota} />
      ))}
    </span>
  );
