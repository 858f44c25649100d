import { LandfallError } from "../../errors.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { answerProblem } from "../../model/wrong-value/first-problem.ts";

/** Returns the validated answer. Throws FORECAST_ANSWER. */
export type AnswerCheck<T> = (source: string, answer: unknown) => T;

/** Validates a service's answer by a JSON Schema; the error names the first invalid part. Throws FORECAST_ANSWER. */
export function answerChecker<T>(schema: object): AnswerCheck<T> {
  const validate = compileSchema<T>(schema);
  return (source, answer) => {
    if (validate(answer)) return answer;
    throw new LandfallError("FORECAST_ANSWER", { source, detail: answerProblem(validate, answer) });
  };
}
