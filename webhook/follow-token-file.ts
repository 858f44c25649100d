import { readTokenFile } from "./read-token-file.ts";

/** Gives the present token. Never rejects. */
export type ReadToken = () => Promise<string>;

/** A file is read again after so many ms, when its token is used. */
const AGAIN_MS = 5000;

/**
 * The token in the file of an option, which may change as that of a mounted Secret does; null if the option is not given. A file that cannot be used
 * any more leaves the known token in use. Throws ADM_TOKEN_FILE if it cannot be used at first.
 */
export async function followTokenFile(
  option: string,
  file: string | undefined,
  onFailure: (thrown: unknown) => void,
  elapsedMs: () => number = () => performance.now(),
): Promise<ReadToken | null> {
  const first = await readTokenFile(option, file);
  if (first === null) return null;
  let known = first;
  let readAt = elapsedMs();
  return async () => {
    if (elapsedMs() - readAt >= AGAIN_MS) {
      readAt = elapsedMs();
      try {
        known = (await readTokenFile(option, file)) ?? known;
      } catch (thrown) {
        onFailure(thrown);
      }
    }
    return known;
  };
}
