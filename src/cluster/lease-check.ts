// Checks before every connection to WhatsApp that this node holds the lease of the instance. Decision D-146.
import { GatewayError } from '../errors.ts';
import type { OpenSession } from '../whatsapp/session.ts';

/**
 * Wraps `open` so that it rejects with LEASE_LOST when `isOwner` is false: two nodes that connect one instance would
 * end each other's connection.
 */
export function withLeaseCheck(isOwner: (instanceId: string) => Promise<boolean>, open: OpenSession): OpenSession {
  return async (options) => {
    if (!(await isOwner(options.instanceId))) {
      throw new GatewayError('LEASE_LOST', 'The instance belongs to another node now');
    }
    return open(options);
  };
}
