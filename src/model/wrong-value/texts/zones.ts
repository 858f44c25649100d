import { isObject, ownValue } from "../../json.ts";
import { table } from "../../table.ts";

/** The offset that most people mean by letters. */
const ZONES: Readonly<Record<string, string>> = table({
  ...{ HST: "-10:00", AKST: "-09:00", AKDT: "-08:00", PST: "-08:00", PDT: "-07:00", MST: "-07:00", MDT: "-06:00" },
  ...{ CST: "-06:00", CDT: "-05:00", EST: "-05:00", EDT: "-04:00", BRT: "-03:00", ART: "-03:00" },
  ...{ WET: "+00:00", WEST: "+01:00", BST: "+01:00", CET: "+01:00", MEZ: "+01:00", CEST: "+02:00", MESZ: "+02:00" },
  ...{ EET: "+02:00", SAST: "+02:00", EEST: "+03:00", MSK: "+03:00", GST: "+04:00", PKT: "+05:00", IST: "+05:30" },
  ...{ WIB: "+07:00", SGT: "+08:00", HKT: "+08:00", AWST: "+08:00", JST: "+09:00", KST: "+09:00" },
  ...{ AEST: "+10:00", AEDT: "+11:00", NZST: "+12:00", NZDT: "+13:00" },
});

/** The offset of `Europe/Rome` at a local time; undefined for a place that is not known. */
function ofPlace(zone: string, at: string): string | undefined {
  try {
    const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
    const name = format.formatToParts(new Date(`${at}Z`)).find(({ type }) => type === "timeZoneName")?.value;
    return name === undefined ? undefined : name.replace("GMT", "") || "+00:00";
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** The offset of a named zone at a local time, `-08:00` for PST; undefined for an unknown name. */
export const offsetOf = (zone: string, at: string): string | undefined =>
  /^(?:UTC|GMT|Z)$/i.test(zone) ? "Z" : zone.includes("/") ? ofPlace(zone, at) : ownValue(ZONES, zone.toUpperCase());

const NAMES = /^(?:time_?zone(?:_?(?:name|id))?|tz|zone_?info)$/i;

/** The zone that an object names next to its times, `Europe/Rome` of `timeZone`; undefined for none that is known. */
export function zoneIn(spec: unknown): string | undefined {
  const [, zone] = (isObject(spec) ? Object.entries(spec) : []).find(([name]) => NAMES.test(name)) ?? [];
  return typeof zone === "string" && offsetOf(zone, "2026-12-01T00:00:00") !== undefined ? zone : undefined;
}

/** Seconds of an offset such as `+01:00`. */
export function offsetSeconds(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):(\d{2})$/.exec(offset) ?? [];
  return (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60) * (sign === "-" ? -1 : 1);
}
