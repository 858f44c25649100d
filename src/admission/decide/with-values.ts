import type { Denial } from "../../model/decision.ts";
import { withNetworkPlace } from "../remedy/named-places.ts";
import { nearestNames } from "../remedy/nearest-names.ts";
import { withOtherProvider } from "../remedy/other-provider.ts";
import { withTypeSize } from "../remedy/type-sizes.ts";
import type { DecisionRequest } from "../types.ts";
import { orMeant } from "./decision-document.ts";
import { withTimes } from "./with-times.ts";

const ADDED = [withTimes, withTypeSize, withNetworkPlace];

/** A denial with the values and names to write that the clock and the catalog know: the schemas' texts have neither. */
export function withValues(request: DecisionRequest, entry: Denial): Denial {
  const told = ADDED.reduce((one, add) => add(request, one), entry);
  const ofOther = withOtherProvider(request, told);
  return ofOther === told ? orMeant(told, nearestNames(request, entry)[0]?.text) : ofOther;
}
