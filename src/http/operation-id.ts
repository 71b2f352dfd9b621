// Determines which operation of the contract (openapi.yaml) a request calls. PUT and POST of one path can share a route
// and then differ only in their operation id (D-002).
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifySchema {
    operationId?: string;
    summary?: string;
    /** The OpenAPI tags. Each operation has exactly one tag: its area, for example `message`. */
    tags?: readonly string[];
    /** On a route for PUT and POST: the operation id of POST. `operationId` is then the operation id of PUT. */
    postOperationId?: string;
  }
}

/** The operation id of the request in the contract; undefined for a route outside the contract. */
export function operationIdOf({ method, routeOptions }: FastifyRequest): string | undefined {
  const { operationId, postOperationId = operationId } = routeOptions.schema ?? {};
  return method === 'POST' ? postOperationId : operationId;
}
