import type { ReactElement } from "react";
import type { ObjectReport } from "../../../../src/console/contract/object.ts";
import { Icon } from "../../ui/icon.tsx";

const WORDS: Readonly<Record<ObjectReport["signature"]["state"], string>> = {
  valid: "Signature verified",
  invalid: "Signature wrong",
  missing: "Not signed",
  unknown: "Signature not checked",
};

/** Whether Landfall signed the decision; the detail on hover and for screen readers. */
export const SignatureMark = ({ signature: { state, detail } }: Pick<ObjectReport, "signature">): ReactElement => (
  <span className={`state signature-${state}`} title={detail}>
    <Icon name={state === "valid" ? "signed" : state === "unknown" ? "waiting" : "failing"} />
    {WORDS[state]}
    <span className="hidden">: {detail}</span>
  </span>
);
