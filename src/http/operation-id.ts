// Which operation of the contract a request calls. PUT and POST of one path share a route and differ in their operation id only (D-002).
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifySchema {
    /** Operation id of POST on a route that takes PUT and POST; `operationId` is that of PUT. */
    postOperationId?: string;
  }
}

/** The operationId of the contract for the method of the request; undefined for a route outside the contract. */
export function operationIdOf({ method, routeOptions }: FastifyRequest): string | undefined {
  const { operationId, postOperationId = operationId } = routeOptions.schema ?? {};
  return method === 'POST' ? postOperationId : operationId;
}
