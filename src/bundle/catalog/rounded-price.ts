/** USD as the catalog has it: four significant digits are finer than the differences that lists show. */
export const roundedPrice = (usd: number): number => Number(usd.toPrecision(4));
