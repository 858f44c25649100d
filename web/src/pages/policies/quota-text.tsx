import type { ReactElement } from "react";
import type { Quota } from "../../../../src/console/contract/policies.ts";
import { Icon } from "../../ui/icon.tsx";

/** `64 of 64 vCPU`, marked if it is full. */
export const QuotaText = ({ quotas }: { quotas: readonly Quota[] }): ReactElement =>
  quotas.length === 0 ? (
    <span className="quiet">no quota</span>
  ) : (
    <span className="states">
      {quotas.map(({ what, limit, used }) => (
        <span key={what} className={used >= limit ? "state state-failing" : "state"}>
          {used >= limit ? <Icon name="failing" /> : null}
          {used} of {limit} {what}
        </span>
      ))}
    </span>
  );
