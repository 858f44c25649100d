/** Months of the year times hours of the week. */
export const YEAR_HOURS = 12 * 168;

/**
 * Packs a profile by month and hour of the week, as in a bundle: integer gCO2eq/kWh, delta-encoded, zigzag-coded (0,
 * -1, 1, -2 …) in groups of seven bits, least significant first, in base64. A bundle has 40 zones of them.
 */
export function packHours(values: readonly number[]): string {
  const bytes: number[] = [];
  let before = 0;
  for (const value of values) {
    const difference = Math.round(value) - before;
    before += difference;
    let rest = difference < 0 ? -2 * difference - 1 : 2 * difference;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(128 + (rest % 128));
    bytes.push(rest);
  }
  return Buffer.from(bytes).toString("base64");
}

/** The bits of the largest difference, 65535 either way, in groups of seven. */
const LAST_SHIFT = 14;

/**
 * Unpacks to gCO2eq/kWh; null if the text was not packed by `packHours` for a year. Each command reads 80,000 of them
 * before V8 has optimised anything: no arrays in the loop.
 */
export function unpackHours(text: string): Uint16Array | null {
  const bytes = Buffer.from(text, "base64");
  const values = new Uint16Array(YEAR_HOURS);
  let count = 0;
  let value = 0;
  let group = 0;
  let shift = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (shift > LAST_SHIFT) return null;
    group |= (byte & 127) << shift;
    shift += 7;
    if (byte >= 128) continue;
    value += (group >>> 1) ^ -(group & 1);
    if (value < 0 || value > 65_535 || count === YEAR_HOURS) return null;
    values[count] = value;
    count += 1;
    group = 0;
    shift = 0;
  }
  return count === YEAR_HOURS && shift === 0 ? values : null;
}
