import type { Caller, Door, DoorSetting } from "../../src/model/door.ts";
import { limitSources, type SourceLimit } from "./limit-sources.ts";
import { type CheckToken, type OpenDoor, openDoor } from "./open-door.ts";
import type { ReadStored } from "./read-stored.ts";

export interface DoorParts {
  setting: DoorSetting;
  /** Null if no token is expected. */
  checkToken: CheckToken | null;
  /** For unauthenticated callers: reads stored objects, and reviews per second of one address. */
  strangers: { read: ReadStored; perSecond: number };
}

/** Who is answered, and how many came in which way. */
export interface Doors {
  setting: DoorSetting;
  open: OpenDoor;
  limit: SourceLimit;
  strangers: DoorParts["strangers"];
  /** Counts a review. */
  came: (caller: Caller) => void;
  counts: () => Readonly<Record<Door, number>>;
}

/** Only the API server's certificate. */
export const CERTIFICATE_ONLY: DoorParts = {
  setting: "client-certificate",
  checkToken: null,
  strangers: { read: () => Promise.resolve(null), perSecond: 1 },
};

/** `clientName`: common name of the API server's certificate; empty if none is expected. `onFirst`: the first review of a kind came. */
export function openDoors(
  { setting, checkToken, strangers }: DoorParts,
  clientName: string,
  onFirst: (door: Door) => void = () => undefined,
): Doors {
  const counts: Record<Door, number> = { "client-certificate": 0, token: 0, none: 0 };
  return {
    ...{ setting, strangers },
    open: openDoor({ setting, clientName: clientName === "" ? null : clientName, checkToken }),
    limit: limitSources(strangers.perSecond, () => performance.now()),
    came: ({ door }) => {
      counts[door] += 1;
      if (counts[door] === 1) onFirst(door);
    },
    counts: () => counts,
  };
}
