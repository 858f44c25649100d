import { LandfallError } from "../errors.ts";
import { isObject } from "../model/json.ts";
import { neutraliseLine } from "../model/text/neutralise.ts";
import type { PolicyDenial, PolicyWarning } from "../model/policy.ts";

/** The result of another team's rules for one object. */
export interface TeamRuling {
  denials: readonly PolicyDenial[];
  warnings: readonly PolicyWarning[];
  /** Places, each with the reason. */
  refused: ReadonlyMap<string, string>;
}

/** All that follows an answer takes time for each entry and each character: remedies, signatures, the log. */
export const RULING = {
  denials: 100,
  warnings: 100,
  /** The catalog has 163 places, and each package may refuse each of them. */
  refused: 2000,
  /** Characters of one text. */
  text: 1024,
  /** Characters of all denials and warnings, and of all refusals: of these, one reason is said at most. */
  said: 65_536,
  reasons: 262_144,
} as const;

/** The detail of an error of a team's rules as one of their texts: it quotes what they wrote. */
export function errorText(detail: string): string {
  const line = neutraliseLine(detail);
  return line.length > RULING.text ? `${line.slice(0, RULING.text - 1)}…` : line;
}

/** Of a package, a code or a place. */
const NAME = 256;

const wrong = (detail: string): LandfallError => new LandfallError("POL_RESULT", { detail });

const isRows = (value: unknown, length: number): value is unknown[][] =>
  Array.isArray(value) && value.every((row) => Array.isArray(row) && row.length === length);

/** The rows of one list of an answer, each with the name of its package. Counts before it looks at any. */
function rowsOf(answer: unknown, list: "denials" | "warnings" | "refused", length: number): [string, ...unknown[]][] {
  const value = isObject(answer) ? answer[list] : undefined;
  const count = Array.isArray(value) ? value.length : 0;
  if (count > RULING[list])
    throw wrong(
      `they give ${String(count)} ${list}; write at most ${String(RULING[list])}, for example by one entry for many`,
    );
  const isNamed = (row: unknown[]): row is [string, ...unknown[]] => typeof row[0] === "string";
  if (isRows(value, length) && value.every(isNamed)) return value;
  throw wrong("they give no denials, warnings and refused");
}

/** Codes of Landfall's own: their remedies and meaning are its, and must not be given to what a team says. */
const RESERVED =
  /^(?:ADM|POL|PLACEMENT|BUNDLE|REL|ELEMENTO|GROUP|ACCOUNT|CLI|FORECAST|CATALOG|PRICES|FACTS|TEXT|SCHEDULER|RUN|KOPS|SIM|TOOL|CLUSTER|LOCAL|CONSOLE|TRACING)_|^(?:START_NOW|MOVED|DISK_REMOVED)$/;

const ownCode = (code: string): string => (RESERVED.test(code) && code !== "POL_CUSTOM" ? `TEAM_${code}` : code);

/** Takes texts of an answer up to the limits. Throws POL_RESULT beyond them. */
class Texts {
  readonly #most: number;
  #left: number;

  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  /** A text, on one line and without effect on a terminal: kubectl prints it as it is. `instead` for anything else, however large. */
  take<T>(value: unknown, what: string, instead: T, most: number = RULING.text): string | T {
    if (typeof value !== "string") return instead;
    if (value.length > most)
      throw wrong(`${what} has ${String(value.length)} characters; write at most ${String(most)}`);
    this.#left -= value.length;
    if (this.#left < 0) throw wrong(`their texts have more than ${String(this.#most)} characters together; write less`);
    return neutraliseLine(value);
  }

  figure(value: unknown, what: string): string | number | null {
    return typeof value === "number" ? value : this.take(value, what, null);
  }
}

/** As policies/bundle/landfall/additions.rego has it: what is omitted is filled in, and whatever a rule denies with denies. */
function denial([rule, entry]: [string, ...unknown[]], team: string, texts: Texts): PolicyDenial {
  const name = texts.take(rule, "a package's name", "", NAME);
  const { code, message, field, actual, allowed } = isObject(entry) ? entry : { message: entry };
  return {
    code: ownCode(texts.take(code, "a code", "POL_CUSTOM", NAME)),
    message: texts.take(message, "a message", `rule ${name} of bundle ${team}`),
    field: texts.take(field, "a field", null),
    actual: texts.figure(actual, "actual"),
    allowed: texts.figure(allowed, "allowed"),
    source: team,
  };
}

function warning(row: [string, ...unknown[]], team: string, texts: Texts): PolicyWarning {
  const { code, message } = denial(row, team, texts);
  return { code, message, source: team };
}

/** One reason for each place: that of the first package by name. */
function refusals(rows: readonly [string, ...unknown[]][], texts: Texts): Map<string, string> {
  const first = new Map<string, { name: string; reason: string }>();
  for (const [rule, key, why] of rows) {
    const name = texts.take(rule, "a package's name", "", NAME);
    const place = texts.take(key, "a place", null, NAME);
    const reason = texts.take(why, "a reason", "refused");
    if (place === null) throw wrong("they refuse what is not a place; write provider/region");
    const before = first.get(place);
    if (before === undefined || name < before.name || (name === before.name && reason < before.reason))
      first.set(place, { name, reason });
  }
  return new Map([...first].map(([place, { name, reason }]) => [place, `${reason} (${name})`]));
}

/**
 * Reads the answer of a team's rules: only as many entries and texts as `RULING` allows leave it, and nothing nested. Throws
 * POL_RESULT.
 */
export function readRuling(answer: unknown, team: string): TeamRuling {
  const [denials, warnings] = [rowsOf(answer, "denials", 2), rowsOf(answer, "warnings", 2)];
  const refused = rowsOf(answer, "refused", 3);
  const texts = new Texts(RULING.said);
  return {
    denials: denials.map((row) => denial(row, team, texts)),
    warnings: warnings.map((row) => warning(row, team, texts)),
    refused: refusals(refused, new Texts(RULING.reasons)),
  };
}
