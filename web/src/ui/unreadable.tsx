import type { ReactElement } from "react";
import { Icon } from "./icon.tsx";

/** Said where rules are asked about a namespace whose settings the user cannot read. */
export const Unreadable = ({ namespace }: { namespace: string }): ReactElement => (
  <p className="state state-failing unreadable" role="note">
    <Icon name="failing" />
    You cannot read namespace {namespace}, so its own settings are not known here and count as none. The webhook reads
    them: it may decide otherwise than the console shows.
  </p>
);

/** Said where settings deny every object of a namespace, with the reasons that a denial gives. */
export const Closed = ({ denials }: { denials: readonly string[] }): ReactElement | null =>
  denials.length === 0 ? null : (
    <p className="state state-failing unreadable" role="note">
      <Icon name="failing" />
      Every object is denied: {denials.join("; ")}.
    </p>
  );
