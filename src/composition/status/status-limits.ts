/** How long the values are that a status takes over from a provider's resources, in characters, and how many there are. */
export const MOST = {
  ...{ id: 1024, address: 45, name: 63, endpoint: 512, version: 64, addresses: 8, disks: 64 },
  ...{ pools: 100, secret: 253, reason: 256, message: 2048 },
} as const;

/** A text of at most so many characters: of a longer one the beginning. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;

/** Ids and links hold nothing else. What has more could be a text that is made to be read by people. */
const ID = /^[\w./:@~+-]+$/;

/** A provider's id; null for what is too long, or not an id. */
export function idIn(value: unknown): string | null {
  return typeof value === "string" && value.length <= MOST.id && ID.test(value) ? value : null;
}
