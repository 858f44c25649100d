import type { ReactElement } from "react";
import type { Explanation } from "../../../../src/console/contract/object.ts";

/** Denials with their remedies. `remedyIs`: the words before each remedy. */
export const Denials = ({
  denials,
  remedyIs,
}: Pick<Explanation, "denials"> & { remedyIs: string }): ReactElement | null =>
  denials.length === 0 ? null : (
    <ul className="denials">
      {denials.map(({ code, message, remedy }) => (
        <li key={code + message}>
          {message}
          {remedy === "" ? null : (
            <span className="remedy">
              {remedyIs}: {remedy}
            </span>
          )}
          <span className="quiet"> {code}</span>
        </li>
      ))}
    </ul>
  );
