import { createRequire } from "node:module";
import { ownValue } from "../json.ts";
import { nearest } from "../text/nearest.ts";
import { table } from "../table.ts";

const load = createRequire(import.meta.url);

/** Areas by the names that people give them. */
const NAMED: Readonly<Record<string, string>> = table({
  europe: "EU",
  "european union": "EU",
  ue: "EU",
  "european economic area": "EEA",
  uk: "GB",
  "great britain": "GB",
  england: "GB",
  usa: "US",
  america: "US",
  holland: "NL",
  deutschland: "DE",
  italia: "IT",
  españa: "ES",
  schweiz: "CH",
  korea: "KR",
});

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const displayNames = (language: string): Intl.DisplayNames =>
  new Intl.DisplayNames([language], { type: "region", fallback: "none" });

/** Languages in which people name countries, besides English. */
const LANGUAGES: readonly string[] = ["de", "fr", "it", "es", "nl", "pt"];

let known: ReadonlyMap<string, string> | undefined;

/** Codes that were replaced have the name of their successor: FX is France, DD is Germany. */
const isCurrent = (code: string): boolean => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;

/** Every ISO 3166 code with the country's English name, in lower case. Read once: the first time takes some 50 ms. */
const countries = (): ReadonlyMap<string, string> => (known ??= readCountries());

function readCountries(): Map<string, string> {
  const names = displayNames("en");
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => `${first}${second}`));
  return new Map(
    codes.flatMap((code) => {
      const name = names.of(code)?.toLowerCase();
      return name === undefined || !isCurrent(code) ? [] : [[name, code] as const];
    }),
  );
}

/** The English name of a country. */
export const countryName = (code: string): string => displayNames("en").of(code) ?? code;

let foreign: ReadonlyMap<string, string> | undefined;

/** The countries by their names in these languages, where no English name is meant. */
const foreignNames = (): ReadonlyMap<string, string> =>
  (foreign ??= new Map(
    LANGUAGES.flatMap((language) => {
      const names = displayNames(language);
      return [...countries().values()].map((code) => [names.of(code)?.toLowerCase() ?? code, code] as const);
    }),
  ));

const SETS: readonly string[] = ["EU", "EEA", "GDPR"];

/** ISO 3166-1 alpha-3 codes that do not begin as their country's name and its code do. */
const THREE_LETTERS: Readonly<Record<string, string>> = table({
  ...{ aut: "AT", bgr: "BG", che: "CH", cyp: "CY", deu: "DE", dnk: "DK", esp: "ES", est: "EE", hrv: "HR", irl: "IE" },
  ...{ isl: "IS", lie: "LI", ltu: "LT", lva: "LV", mlt: "MT", nld: "NL", pol: "PL", prt: "PT", rou: "RO", svk: "SK" },
  ...{ svn: "SI", swe: "SE", are: "AE", chn: "CN", hkg: "HK", idn: "ID", isr: "IL", jpn: "JP", kor: "KR", mex: "MX" },
  ...{ mys: "MY", nzl: "NZ", sau: "SA", sgp: "SG", tur: "TR", twn: "TW", zaf: "ZA", chl: "CL", qat: "QA", ger: "DE" },
});

/** `ITA` is the beginning of Italy. */
const byBeginning = (text: string, names: ReadonlyMap<string, string>): string | undefined =>
  /^[a-z]{3}$/.test(text)
    ? [...names].find(([name, code]) => name.startsWith(text) && text.startsWith(code.toLowerCase()))?.[1]
    : undefined;

/** The code of a country by another one, of three letters. */
const byThreeLetters = (text: string, names: ReadonlyMap<string, string>): string | undefined =>
  THREE_LETTERS[text] ?? byBeginning(text, names);

/**
 * The code of an area (EU, EEA, GDPR, ISO 3166) that a text names in another way: `eu`, `Italy`, `ITA`, `itlay`. Null if it names
 * none.
 */
export function findArea(text: string): string | null {
  const wanted = text.trim().toLowerCase();
  const upper = wanted.toUpperCase();
  const named = NAMED[wanted];
  if (named !== undefined) return named;
  const names = countries();
  if (SETS.includes(upper) || [...names.values()].includes(upper)) return upper;
  const exact = names.get(wanted) ?? byThreeLetters(wanted, names) ?? foreignNames().get(wanted);
  if (exact !== undefined) return exact;
  return nearArea(wanted, names);
}

/** `itlay` for Italy; null for another word, and a short one. */
function nearArea(wanted: string, names: ReadonlyMap<string, string>): string | null {
  const near = wanted.length > 3 ? nearest(wanted, [...names.keys(), ...Object.keys(NAMED)]) : null;
  return near === null ? null : (NAMED[near] ?? names.get(near) ?? null);
}

interface Residency {
  areas: Readonly<Record<string, readonly string[]>>;
}

/** The codes of the countries of an area; a country alone. Read when they are needed. */
export function membersOf(area: string): readonly string[] {
  const { areas } = load("../../../catalog/residency.json") as Residency;
  return ownValue(areas, area) ?? [area];
}

/** The codes of all countries that have a place. Read when they are needed. */
export function countriesOfPlaces(): string[] {
  const { places } = load("../../../catalog/places.json") as { places: Readonly<Record<string, { country: string }>> };
  return [...new Set(Object.values(places).map(({ country }) => country))].toSorted((one, other) =>
    one < other ? -1 : 1,
  );
}
