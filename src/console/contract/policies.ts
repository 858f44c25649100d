import {
  count,
  figure,
  flag,
  limited,
  list,
  mapOf,
  type Of,
  oneOf,
  orNull,
  parameters,
  record,
  text,
} from "./schema.ts";

/** A bundle that the webhook reported active. Times are RFC 3339, UTC. */
const REPORTED = record({
  /** Empty for the platform's own; otherwise the name of the data image or of the team's bundle. */
  bundle: text,
  digest: text,
  /** The digest of its content, which decisions and audits name; empty if it is not known. */
  content: text,
  revision: text,
  /** Empty if the report names none: bundles of trust off, or a webhook of an earlier version. */
  signers: list(text),
  at: text,
});
export type ReportedBundle = Of<typeof REPORTED>;

const QUARANTINED = record({ digest: text, code: text, reason: text, at: text });
export type QuarantinedBundle = Of<typeof QUARANTINED>;

const EXEMPTION = record({
  id: text,
  owner: text,
  reason: text,
  expires: text,
  isOver: flag,
  codes: list(text),
  namespaces: list(text),
  names: list(text),
});
export type Exemption = Of<typeof EXEMPTION>;

/** The policies in force, from what the processes report in the cluster, and from the console's own bundle. */
export const POLICIES = record({
  /** The bundle that the console explains decisions with. */
  own: record({
    ref: text,
    digest: text,
    revision: text,
    expires: orNull(text),
    others: list(record({ name: text, kind: text, digest: text, revision: text, date: orNull(text) })),
  }),
  /** The reference that the webhook follows, by its report or its Deployment; null if the user can read neither. */
  followed: orNull(text),
  active: list(REPORTED),
  /** The source of the bundles: the report that the webhook keeps, or its Events, which end after an hour. */
  reportedBy: oneOf(["report", "events"] as const),
  /** The oldest Event that is still there: what was reported before is not known. Null without Events, or with a report. */
  eventsSince: orNull(text),
  quarantined: list(QUARANTINED),
  /** The bundles of the last audit, and in how many namespaces. */
  audited: list(record({ digest: text, namespaces: count })),
  /** The sources that the user is not allowed to read. */
  unread: list(text),
  exemptions: list(EXEMPTION),
});
export type Policies = Of<typeof POLICIES>;

export const SETTINGS_QUERY = parameters({ namespace: limited(63) });

/** The origin of a value in force. `both`: the limits of platform and namespace apply together. */
const ORIGINS = ["platform", "namespace", "both", "none"] as const;

const SETTING = record({
  /** Annotation or label of a namespace. */
  name: text,
  meaning: text,
  platform: text,
  namespace: orNull(text),
  inForce: text,
  /** Why no decision can read the namespace's value, so that every object is denied; null if it can be read. */
  problem: orNull(text),
  from: oneOf(ORIGINS),
});
export type Setting = Of<typeof SETTING>;

/** `used`: null if the user cannot list the objects that hold it. */
const QUOTA = record({ what: text, limit: figure, used: orNull(figure) });
export type Quota = Of<typeof QUOTA>;

export const SETTINGS = record({
  namespace: text,
  /** False if the user cannot read the namespace: its own settings are not known, and count as none. */
  readable: flag,
  settings: list(SETTING),
  quotas: list(QUOTA),
  places: record({ all: count, left: count }),
  /** Why settings deny every object; empty if they do not. */
  denials: list(text),
});
export type Settings = Of<typeof SETTINGS>;

export const NAMESPACES_QUERY = parameters({ country: limited(2) });

export const NAMESPACES = record({
  countries: list(text),
  namespaces: list(
    record({
      namespace: text,
      places: count,
      left: count,
      /** Rules that remove places, with how many; of the chosen country alone if one was chosen. */
      rules: list(record({ rule: text, places: count })),
      quotas: list(QUOTA),
      denials: list(text),
    }),
  ),
  /** Namespaces that a long list omits. */
  omitted: count,
});
export type Namespaces = Of<typeof NAMESPACES>;

export const IMPACT_BODY = record({ bundle: limited(500), against: limited(500) });

const SIDE = record({
  allowed: flag,
  place: orNull(text),
  instanceType: orNull(text),
  start: orNull(text),
  price: orNull(figure),
  carbon: orNull(figure),
  codes: list(text),
  message: orNull(text),
});

/** The impact of another bundle, as `landfall impact -o json` writes it. */
export const IMPACT = record({
  summary: record({
    objects: count,
    changes: mapOf(count),
    price: record({ before: figure, after: figure, objects: count }),
    carbon: record({ before: figure, after: figure, objects: count }),
  }),
  impacts: list(
    record({
      object: record({ kind: text, name: text, namespace: text }),
      change: text,
      before: SIDE,
      after: SIDE,
    }),
  ),
});
export type Impact = Of<typeof IMPACT>;
