import { expect, it } from "vitest";
import { createOutbox } from "../../../webhook/decisions/process/create-outbox.ts";

const dropped = (id: number) => ({ type: "dropped", id }) as const;

it("sends at once while nothing else is to do, and collects during work", () => {
  const sent: unknown[] = [];
  const outbox = createOutbox((messages) => void sent.push(messages));
  outbox.say(dropped(1));
  expect(sent).toEqual([[dropped(1)]]);
  outbox.busy(() => {
    outbox.say(dropped(2));
    outbox.say(dropped(3));
  });
  outbox.flush();
  outbox.flush();
  expect(sent.slice(1).flat()).toEqual([dropped(2), dropped(3)]);
  expect(outbox.waits()).toBe(false);
});

it("holds no message for longer than a millisecond of work, as long as more is said", () => {
  const sent: unknown[] = [];
  const outbox = createOutbox((messages) => void sent.push(messages));
  outbox.busy(() => {
    outbox.say(dropped(1));
    const began = performance.now();
    while (performance.now() - began < 1);
    outbox.say(dropped(2));
    expect(sent).toEqual([[dropped(1), dropped(2)]]);
  });
});
