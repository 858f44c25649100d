import type { ReactElement } from "react";
import type { Row } from "../../../../src/console/contract/rows.ts";
import { Message, Time } from "../../ui/figures.tsx";

/** The words of the condition that gives the state: why the object is in it, and since when. */
export const Told = ({ row: { reason, message, since } }: { row: Row }): ReactElement => (
  <p className="told">
    <strong>{reason}</strong>
    {since === null ? null : (
      <span className="quiet">
        {" "}
        since <Time at={since} relative />
      </span>
    )}
    {message === "" ? null : (
      <>
        {": "}
        <Message text={message} />
      </>
    )}
  </p>
);
