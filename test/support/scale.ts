/**
 * Factor for the number of random cases and rounds: 1 in `npm test`, more in `npm run test:long`. A test with an
 * arbitrary length multiplies its count by it; test/long.ts runs every test file that imports this one.
 */
export const SCALE = Number(process.env["LANDFALL_TEST_SCALE"] ?? "1");
