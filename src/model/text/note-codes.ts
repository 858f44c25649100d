/** A code with a text: of a warning, or of data that a decision lacked. */
interface Note {
  code: NoteCode;
  message: string;
}

/**
 * The codes of notes next to a decision, which deny nothing, with what each means. Unlike those of `src/errors.ts`, each writes
 * its own text, which depends on the object.
 */
export const NOTE_CODES = {
  ADDONS_KEPT: "the add-ons of an EKS cluster keep their versions when its control plane is upgraded",
  AREA_OF_COUNTRY: "the code of a country is that of a state of the United States as well",
  CARBON_UNKNOWN: "no carbon intensity is known for the place: it counted as the worst",
  DISK_IOPS: "a premium disk of AWS has provisioned IOPS, which are paid for",
  DISK_KEPT: "a disk stays at its provider, and is paid for until a user deletes it there",
  DISK_REMOVED: "a change deletes a disk, and what is on it",
  END_AT_LIMIT:
    "the run continues after its duration, and is deleted at its maxLifetime; whenDone: delete ends it sooner",
  END_KEEP_FAILED: "keepFailed has no effect, or maxLifetime cuts it short",
  END_KEPT: "nothing ends the run after its duration: whenDone: delete does",
  END_LATE: "with the change, the run ends after its deadline",
  END_NOW:
    "by the change, the run is over already and ends now, or the resources of one that is over go sooner: they are deleted after the grace",
  END_OVER: "the run is over: a change of its object changes nothing any more",
  END_SOON: "by the change, the run ends within 15 minutes",
  END_UNTIMED: "whenDone waits for a report that the work is done: without a duration nothing else ends the run",
  FACTS_STALE: "what was checked against the cluster is older than two minutes",
  GROUP_LEFT: "the machine leaves the default security group of its VPC",
  HELD_BY_USER: "the object waits for its user, or an annotation that should hold it back has no effect",
  LATENCY_ESTIMATED: "the latency to the place is an upper estimate by distance",
  PAUSE_ADDRESS: "after each pause, the machine has another public address",
  PAUSE_RECREATES: "each pause deletes the machine with its system disk",
  POL_KUBERNETES_ENDS: "the provider soon ends its support of the version",
  POOLS_EMPTY: "the cluster begins without a node, on which an autoscaler could run",
  POOL_SCALES_LATER: "new limits of a pool change the number of its nodes only when pods need it",
  POOL_TAINT_KEPT: "a taint that was removed can stay on the nodes of an old operator",
  PRICE_UNKNOWN: "no price is published for the machine type in the place",
  RUN_SHORT: "minutes after which a run is deleted, hardly more than its start takes: months may be meant",
  RUN_NOT_STARTED: "another run begins on a machine that its operator cannot start, if it is off",
  RUN_EARLIER: "the value of landfall.dev/run is an earlier one than the last, and begins another run all the same",
  RESIZE_KEEPS: "the machine keeps its type: its provider makes none smaller in place",
  RESIZE_RESTARTS: "a change of the size gives the machine another type, and can restart it",
  START_NOW: "the object starts immediately, instead of at its planned time",
  START_NOW_PAST: "landfall.dev/start-now was written for an earlier run, and starts no other one",
  TEXT_BROKEN: "a text of the bundle could not be filled in: the built-in one is used",
  ZONE_OF_SUBNET: "an existing subnet decides the zone of the machine",
} as const;

export type NoteCode = keyof typeof NOTE_CODES;

export const note = (code: NoteCode, message: string): Note => ({ code, message });
