// Checks before every connection to WhatsApp that this node holds the lease of the instance. The lease makes one
// cluster node the owner of the instance. Decision D-146.
import { GatewayError } from '../errors.ts';
import type { OpenSession } from '../whatsapp/session.ts';

/**
 * Wraps `open`. The returned function rejects with LEASE_LOST when `isOwner` resolves with false, because two nodes
 * that connect the same instance would end each other's connection.
 */
export function withLeaseCheck(isOwner: (instanceId: string) => Promise<boolean>, open: OpenSession): OpenSession {
  return async (options) => {
    if (!(await isOwner(options.instanceId))) {
      throw new GatewayError('LEASE_LOST', 'The instance belongs to another node now');
    }
    return open(options);
  };
}
