// Settings of a cluster: several processes that share one PostgreSQL database.
import { type DeclaredSettings, flag, integer, text } from './declare.ts';

export const CLUSTER = {
  CLUSTER: flag(true, {
    help: 'Share the PostgreSQL database with other nodes. false: without leases. No other process may use the database then; the gateway does not check this.',
    whenToChange: 'Set false when exactly one process uses the database.',
  }),
  NODE_NAME: text('', {
    help: 'Name of this node, different on each. A process takes the instances of an earlier process with its name at once. Empty: host name and port.',
    whenToChange:
      'Set it when the host name changes with each start, as in containers; see [several nodes](../deploy/cluster.md#the-name-of-a-node).',
  }),
  NODE_URL: text('', {
    help: 'Base URL under which other nodes reach this node. It must be the node itself, not a proxy. Empty: its first IP address and port.',
    whenToChange: 'Set it when nodes reach each other by name, or when this node has several addresses.',
  }),
  NODE_CAPACITY: integer(0, {
    help: 'Maximum number of instances on this node. 0: no limit.',
    unit: 'count',
    whenToChange: 'Set it when nodes have different amounts of memory.',
  }),
  LEASE_TTL: integer(15, {
    help: 'Time without a heartbeat after which other nodes take the instances of this node.',
    unit: 'seconds',
    minimum: 2,
    maximum: 3600,
    whenToChange:
      'Raise it when pauses of a node or of the database cause moves; lower it to fail over sooner. All nodes need the same; adapt the alert `GatewayHeartbeatLate`.',
  }),
} satisfies DeclaredSettings;
