import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import type { TriedDenial } from "../../../../src/console/contract/trying.ts";
import { fieldOf, type Operation, pathIn } from "./document/manifest.ts";
import { keysOf } from "../../../../src/model/json.ts";

const textOf = ({ op, path, value }: Operation): string => {
  const field = fieldOf(pathIn(keysOf(path).join(".")));
  return op === "remove" ? `remove ${field}` : `${field}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
};

/** A patch in words. */
export const patchText = (patch: string): string =>
  (JSON.parse(patch) as Operation[])
    .filter(({ op }) => op !== "test")
    .map(textOf)
    .join(", ");

/** A denial, what to do about it, and the change that passes to accept. */
export function DenialText({
  denial,
  onPatch,
}: {
  denial: TriedDenial;
  onPatch: (patch: string) => void;
}): ReactElement {
  const { code, message, remedy, patch } = denial;
  return (
    <span className="denial-text">
      <span>{message}</span>
      {remedy === "" ? null : <span>To do: {remedy}</span>}
      {patch === null ? null : (
        <Button className="plain accept" onPress={() => onPatch(patch)}>
          Accept {patchText(patch)}
        </Button>
      )}
      <span className="quiet">{code}</span>
    </span>
  );
}
