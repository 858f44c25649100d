import { LandfallError } from "../../../errors.ts";
import type { CompiledCheck } from "../../../model/schemas/compile-schema.ts";
import { answerProblem } from "../../../model/wrong-value/first-problem.ts";
import type { Answer } from "./call.ts";

function parse({ operation, text }: Answer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text is not quoted: it may be anything.
    const detail = text.trimStart().startsWith("<")
      ? "an HTML page"
      : `${String(text.length)} characters that are not JSON`;
    throw new LandfallError("ELEMENTO_ANSWER", { operation, detail });
  }
}

/** The answer's JSON, validated. Throws ELEMENTO_ANSWER, which names the invalid field but not its value. */
export function readAnswer<T>(answer: Answer, check: CompiledCheck<T>): T {
  const value = parse(answer);
  if (check(value)) return value;
  throw new LandfallError("ELEMENTO_ANSWER", { operation: answer.operation, detail: answerProblem(check, value) });
}

/** A list; an empty answer is an empty list. */
export const readList = <T>(answer: Answer, check: CompiledCheck<T[]>): T[] =>
  answer.status === 204 || answer.text.trim() === "" ? [] : readAnswer(answer, check);
