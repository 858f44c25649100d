import { beforeEach, afterEach, describe, expect, it, vi } from "vitest";
import { type Asked, createTrier, type Trier } from "../../../../web/src/pages/try/document/create-trier.ts";

const asked: { question: string; answer: (value: string) => void; refuse: (problem: Error) => void }[] = [];
let told: Asked<string> = { value: null, problem: null, isCurrent: true };
let trier: Trier;

beforeEach(() => {
  vi.useFakeTimers();
  asked.length = 0;
  trier = createTrier<string>({
    send: async (question) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      asked.push({ question, answer: resolve, refuse: reject });
      return promise;
    },
    debounceMs: 400,
    tell: (next) => {
      told = next;
    },
    againMs: (problem, failures) => (String(problem).endsWith("away") ? 1000 * (failures + 1) : null),
  });
});
afterEach(() => {
  trier.stop();
  vi.useRealTimers();
});

const questions = (): string[] => asked.map(({ question }) => question);

async function answer(at: number, value: string): Promise<void> {
  asked[at]?.answer(value);
  await vi.advanceTimersByTimeAsync(0);
}

describe("asking while someone types", () => {
  it("asks once, after a pause, with what is there then", async () => {
    for (const text of ["a", "ab", "abc"]) {
      trier.ask(text);
      await vi.advanceTimersByTimeAsync(300);
    }
    expect(questions()).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(questions()).toEqual(["abc"]);
    expect(told.isCurrent).toBe(false);
    await answer(0, "ABC");
    expect(told).toEqual({ value: "ABC", problem: null, isCurrent: true });
  });

  it("has one request under way, drops its answer if the text changed, and then asks the newest", async () => {
    trier.ask("a");
    await vi.advanceTimersByTimeAsync(400);
    trier.ask("b");
    await vi.advanceTimersByTimeAsync(400);
    trier.ask("c");
    await vi.advanceTimersByTimeAsync(4000);
    expect(questions()).toEqual(["a"]);
    await answer(0, "A");
    expect(told).toEqual({ value: null, problem: null, isCurrent: false });
    expect(questions()).toEqual(["a", "c"]);
    await answer(1, "C");
    expect(told.value).toBe("C");
  });

  it("keeps the last answer while it asks, and shows a failure of the newest question alone", async () => {
    trier.ask("a");
    await vi.advanceTimersByTimeAsync(400);
    await answer(0, "A");
    trier.ask("b");
    expect(told).toEqual({ value: "A", problem: null, isCurrent: false });
    await vi.advanceTimersByTimeAsync(400);
    const problem = new Error("wrong");
    asked[1]?.refuse(problem);
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual({ value: "A", problem, isCurrent: true });
  });

  it("asks the same again, ever later, after a problem that passes, and not after another", async () => {
    trier.ask("a");
    await vi.advanceTimersByTimeAsync(400);
    asked[0]?.refuse(new Error("away"));
    await vi.advanceTimersByTimeAsync(999);
    expect(questions()).toEqual(["a"]);
    await vi.advanceTimersByTimeAsync(1);
    asked[1]?.refuse(new Error("away"));
    await vi.advanceTimersByTimeAsync(1999);
    expect(questions()).toEqual(["a", "a"]);
    await vi.advanceTimersByTimeAsync(1);
    await answer(2, "A");
    expect(told).toEqual({ value: "A", problem: null, isCurrent: true });
    trier.ask("b");
    await vi.advanceTimersByTimeAsync(400);
    asked[3]?.refuse(new Error("wrong"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(questions()).toEqual(["a", "a", "a", "b"]);
  });

  it("repeats a question at once, and drops the answer of before", async () => {
    trier.ask("a");
    await vi.advanceTimersByTimeAsync(400);
    trier.repeat();
    await vi.advanceTimersByTimeAsync(0);
    await answer(0, "old");
    expect(told).toEqual({ value: null, problem: null, isCurrent: false });
    await answer(1, "new");
    expect(told).toEqual({ value: "new", problem: null, isCurrent: true });
  });

  it("drops what is asked when the text can no longer be read, and asks nothing after its end", async () => {
    trier.ask("a");
    await vi.advanceTimersByTimeAsync(400);
    trier.ask(null);
    await answer(0, "A");
    expect(told).toEqual({ value: null, problem: null, isCurrent: false });
    trier.ask("b");
    trier.stop();
    await vi.advanceTimersByTimeAsync(4000);
    expect(questions()).toEqual(["a"]);
  });
});
