/** Ms of a clock that all processes of a machine share and that no one sets, for deadlines that one gives to another. */
export function uptimeMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
