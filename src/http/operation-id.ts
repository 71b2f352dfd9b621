// Determines which operation of the contract a request calls. PUT and POST of one path can share a route and then
// differ only in their operation id (D-002).
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifySchema {
    operationId?: string;
    summary?: string;
    /** The area of the operation in the contract. */
    tags?: readonly string[];
    /** The operation id of POST on a route for PUT and POST, whose `operationId` is that of PUT. */
    postOperationId?: string;
  }
}

/** The operation id of the request in the contract; undefined for a route outside the contract. */
export function operationIdOf({ method, routeOptions }: FastifyRequest): string | undefined {
  const { operationId, postOperationId = operationId } = routeOptions.schema ?? {};
  return method === 'POST' ? postOperationId : operationId;
}
