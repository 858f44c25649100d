/**
 * How many times as many random cases and rounds a run has: 1 in `npm test`, more in `npm run test:long`. A test whose length is a
 * matter of choice multiplies its count by it; test/long.ts runs every test file that imports this one.
 */
export const SCALE = Number(process.env["LANDFALL_TEST_SCALE"] ?? "1");
