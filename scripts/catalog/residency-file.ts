import type { ResidencyFile } from "../../src/bundle/catalog/catalog-files.ts";
import { field, readCsv, type Row } from "./read-csv.ts";

/** EU, EEA and GDPR (the EEA, or a country that the European Commission found adequate without conditions). */
export async function residencyFile(data: string): Promise<ResidencyFile> {
  const rows = await readCsv(`${data}/gdpr_countries.csv`);
  const codes = (keep: (row: Row) => boolean): string[] => rows.filter(keep).map((row) => field(row, "country_iso2")).sort();
  const known = [...rows, ...(await readCsv(`${data}/carbon/country_annual.csv`)), ...(await readCsv(`${data}/regions.csv`))];
  const isEea = (row: Row): boolean => field(row, "eea") === "true";
  const isPartial = (row: Row): boolean => field(row, "adequacy_scope").startsWith("partial");
  return {
    about: "Areas that dataResidency may name, as ISO 3166-1 alpha-2 codes. Adequacy with conditions (partial) does not count as GDPR.",
    dates: { "residency sets": "2026-11" },
    areas: {
      EU: codes((row) => field(row, "eu_member") === "true"),
      EEA: codes(isEea),
      GDPR: codes((row) => isEea(row) || (field(row, "gdpr_adequacy") === "true" && field(row, "adequacy_scope") === "full")),
    },
    countries: [...new Set(known.map((row) => field(row, "country_iso2")))].filter((code) => /^[A-Z]{2}$/.test(code)).sort(),
    partial: Object.fromEntries(rows.filter(isPartial).map((row) => [field(row, "country_iso2"), field(row, "adequacy_scope")])),
  };
}
