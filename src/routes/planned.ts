// Operations of the contract that are not built yet: key and instance are checked, then 501. None pretends.
import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../errors.ts';

export interface PlannedRoute {
  readonly operationId: string;
  readonly method: string;
  readonly url: string;
}

/** Registers routes that answer 501 before they read a body. */
export function registerPlanned(app: FastifyInstance, routes: readonly PlannedRoute[]): void {
  for (const { operationId, method, url } of routes) {
    const refuse = async (): Promise<never> => {
      throw new GatewayError('NOT_IMPLEMENTED', `${operationId} is not implemented yet`);
    };
    app.route({ method, url, schema: { operationId }, onRequest: refuse, handler: refuse });
  }
}
