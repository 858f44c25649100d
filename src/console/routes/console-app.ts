import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { Of } from "../contract/schema.ts";

/** The types of a route's parameters and answers are those of its schemas. */
export interface ContractTypes extends FastifyTypeProvider {
  validator: Of<this["schema"]>;
  serializer: Of<this["schema"]>;
}

export type ConsoleApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ContractTypes
>;
