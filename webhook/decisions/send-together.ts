import type { ToProcess } from "./messages.ts";

/** Most messages that are sent together. */
const GROUP = 64;

/** Messages of one turn of the event loop are sent together: waking the other process costs more than sending. */
export function sendTogether(post: (messages: ToProcess[]) => void): (message: ToProcess) => void {
  let unsent: ToProcess[] = [];
  const flush = (): void => {
    const messages = unsent;
    unsent = [];
    // In parts, so that the first are decided while the others are on their way.
    for (let at = 0; at < messages.length; at += GROUP) post(messages.slice(at, at + GROUP));
  };
  return (message) => {
    if (unsent.push(message) === 1) setImmediate(flush);
  };
}
