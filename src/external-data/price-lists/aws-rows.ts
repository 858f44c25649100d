import { pipeline } from "node:stream/promises";
import { parse } from "csv-parse";
import { parse as parseLine } from "csv-parse/sync";
import { LandfallError } from "../../errors.ts";
import type { RegionPrices } from "../../model/places/price-list.ts";
import { Passing } from "../http/passing.ts";
import type { Body } from "./price-service.ts";
import { wantedLines } from "./wanted-lines.ts";
import { table } from "../../model/table.ts";
import { textOf } from "../../model/json.ts";

/** Collects prices by machine type. A type with two prices has none: no one knows which one is true. */
class PriceTable {
  private readonly prices = new Map<string, number>();
  private readonly unclear = new Set<string>();

  add(type: string, price: number): void {
    const known = this.prices.get(type);
    if (known !== undefined && known !== price) this.unclear.add(type);
    this.prices.set(type, price);
  }

  /** Machine type -> USD per hour. */
  clear(): Map<string, number> {
    return new Map([...this.prices].filter(([type]) => !this.unclear.has(type)));
  }
}

/** Whom its errors name. */
export const AWS = { source: "the price list of AWS", option: "--aws-url" } as const;

const TYPE = "Instance Type";
const PRICE = "PricePerUnit";

/** The columns of a row that is the price of an hour of a machine with Linux, on demand. */
const WANTED: Readonly<Record<string, string>> = table({
  TermType: "OnDemand",
  Unit: "Hrs",
  Currency: "USD",
  "Product Family": "Compute Instance",
  "Location Type": "AWS Region",
  Tenancy: "Shared",
  "Operating System": "Linux",
  "Pre Installed S/W": "NA",
  CapacityStatus: "Used",
  operation: "RunInstances",
});
/** Those of its values that the fewest rows have. */
const RAREST = ["OnDemand", "RunInstances", "Linux"];
/** The first column. */
const HEAD = "SKU";
/** The same of columns that not every edition has. */
const IF_PRESENT: Readonly<Record<string, string>> = table({ MarketOption: "OnDemand" });

/** Lines about the file stand above the line with the columns' names, five of them. */
const MOST_LINES_ABOVE = 20;
/** Characters of a line; the longest has 3,000. */
const LONGEST_LINE = 64 * 1024;

const wrong = (detail: string, cause?: unknown): LandfallError =>
  new LandfallError("PRICES_ANSWER", { ...AWS, detail }, cause);

interface Columns {
  count: number;
  type: number;
  price: number;
  region: number | undefined;
  wanted: (readonly [column: number, value: string])[];
}

/** Names are compared without case: editions differ in it. Throws PRICES_ANSWER for a missing column. */
function columnsOf(names: readonly string[]): Columns {
  const lower = names.map((name) => name.toLowerCase());
  const find = (name: string): number | undefined => {
    const at = lower.indexOf(name.toLowerCase());
    return at === -1 ? undefined : at;
  };
  const need = (name: string): number => {
    const at = find(name);
    if (at === undefined) throw wrong(`it has no column ${name}`);
    return at;
  };
  const wanted = Object.entries(WANTED).map(([name, value]) => [need(name), value] as const);
  const optional = Object.entries(IF_PRESENT).flatMap(([name, value]) => {
    const at = find(name);
    return at === undefined ? [] : [[at, value] as const];
  });
  return {
    ...{ count: names.length, type: need(TYPE), price: need(PRICE), region: find("Region Code") },
    wanted: [...wanted, ...optional],
  };
}

/** Reads a file line by line: those above the columns' names, the names, and the prices of one region. */
class FileReader {
  private readonly region: string;
  private readonly table = new PriceTable();
  private columns: Columns | null = null;
  private above = 0;
  private published = "";

  constructor(region: string) {
    this.region = region;
  }

  take(cells: readonly string[]): void {
    if (this.columns === null) this.columns = columnsOf(cells);
    else this.takePrice(cells, this.columns);
  }

  /** A line above the columns' names: the name of a fact and its value. */
  takeAbove(line: string): void {
    this.above += 1;
    if (line.trimStart().startsWith("<")) throw wrong("an HTML page");
    if (this.above > MOST_LINES_ABOVE) throw wrong("it has no line with the names of columns");
    const [name = "", value = ""] = parseLine(line, { relax_quotes: true, relax_column_count: true }).at(0) ?? [];
    if (name === "OfferCode" && value !== "AmazonEC2")
      throw wrong(`it is the list of ${value.slice(0, 40)}, not of AmazonEC2`);
    if (name === "Publication Date") this.published = value;
  }

  private takePrice(cells: readonly string[], { count, type, price, region, wanted }: Columns): void {
    if (cells.length !== count) {
      const detail = `its last line has ${String(cells.length)} of ${String(count)} columns`;
      throw new Passing(new LandfallError("PRICES_CUT", { ...AWS, detail }));
    }
    if (region !== undefined && cells[region] !== this.region) return;
    if (wanted.some(([column, value]) => cells[column] !== value)) return;
    const usd = Number(cells[price]);
    const name = cells[type] ?? "";
    if (name !== "" && Number.isFinite(usd) && usd > 0) this.table.add(name, usd);
  }

  /** Throws PRICES_ANSWER for a file without its date or without columns. */
  end(): RegionPrices {
    if (this.columns === null) throw wrong("it has no line with the names of columns");
    const date = /^\d{4}-\d{2}-\d{2}/.exec(this.published)?.[0];
    if (date === undefined) throw wrong("it has no publication date");
    return { date, prices: this.table.clear() };
  }
}

const isCsvError = (thrown: unknown): thrown is Error & { code: string } =>
  thrown instanceof Error && "code" in thrown && textOf(thrown.code).startsWith("CSV_");

/** The prices of a region's `index.csv`, read line by line: the file has up to 400 MB. Throws PRICES_ANSWER, PRICES_CUT. */
export async function awsRows(body: Body, region: string): Promise<RegionPrices> {
  const reader = new FileReader(region);
  const parser = parse({ bom: true, relax_column_count: true, skip_empty_lines: true, max_record_size: LONGEST_LINE });
  try {
    await pipeline(
      wantedLines(body, { name: HEAD, values: RAREST, onAbove: (line) => reader.takeAbove(line) }),
      parser,
      async (rows: AsyncIterable<string[]>) => {
        for await (const cells of rows) reader.take(cells);
      },
    );
  } catch (thrown) {
    if (!isCsvError(thrown)) throw thrown;
    if (thrown.code === "CSV_QUOTE_NOT_CLOSED")
      throw new Passing(new LandfallError("PRICES_CUT", { ...AWS, detail: "its last line is not complete" }, thrown));
    throw wrong(`it is not CSV (${thrown.code})`, thrown);
  }
  return reader.end();
}
