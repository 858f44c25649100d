import { LandfallError } from "../../errors.ts";
import { compileSchema } from "../../model/compile-schema.ts";

/** Gives back the answer as what it was checked to be. Throws FORECAST_ANSWER. */
export type AnswerCheck<T> = (source: string, answer: unknown) => T;

/** A check of what a service answered against a JSON Schema; it names the first thing that is wrong. Throws FORECAST_ANSWER. */
export function answerChecker<T>(schema: object): AnswerCheck<T> {
  const validate = compileSchema<T>(schema);
  return (source, answer) => {
    if (validate(answer)) return answer;
    const [first] = validate.errors ?? [];
    const detail = `${first?.instancePath ?? ""} ${first?.message ?? ""}`.trim();
    throw new LandfallError("FORECAST_ANSWER", { source, detail });
  };
}
