// Checks the lease in the database before every connection to the platform.
import { GatewayError } from '../errors.ts';
import type { OpenSession } from '../whatsapp/session.ts';

/**
 * Wraps `open`. The session is opened only when `isOwner` confirms the lease, because two nodes that connect one
 * instance would end each other's connection. Throws LEASE_LOST otherwise.
 */
export function withLeaseCheck(isOwner: (instanceId: string) => Promise<boolean>, open: OpenSession): OpenSession {
  return async (options) => {
    if (!(await isOwner(options.instanceId))) {
      throw new GatewayError('LEASE_LOST', 'The instance belongs to another node now');
    }
    return open(options);
  };
}
