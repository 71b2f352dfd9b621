// Settings of access: keys, limits per key and address, the audit log, and the networks that outgoing requests may
// reach.
import { type DeclaredSettings, flag, integer, text } from './declare.ts';

export const ACCESS = {
  API_KEY: text('', {
    help: 'Global API key, at least 16 printable ASCII characters. Empty: the first start generates it into `DATA_DIR/api-key`.',
    whenToChange: 'Set it when a secret store manages your keys, and for the nodes of a cluster.',
  }),
  EXPOSE_INSTANCE_KEYS: flag(true, {
    help: 'Include the instance keys in `GET /instance/fetchInstances`.',
    whenToChange: 'Set false when no client reads keys from this list.',
  }),
  WEAK_TOKENS: flag(false, {
    help: 'Allow new instances to have keys with fewer than 16 characters, and such a `METRICS_PASSWORD`. Existing keys of instances work in any case.',
    whenToChange: 'Set true only while you move clients that create instances with short keys.',
  }),
  AUTH_FAILURE_LIMIT: integer(200, {
    help: 'Requests without a valid key from one IP address before the gateway answers 429. 0: no limit.',
    unit: 'per minute',
    whenToChange: 'Raise it when many clients share one address; check `TRUST_PROXY` first.',
  }),
  RATE_LIMIT: integer(0, {
    help: 'Requests with one key before the gateway answers 429. All keys of an instance count together. 0: no limit.',
    unit: 'per minute',
    whenToChange: 'Set it when one client must not take the capacity of others.',
  }),
  AUDIT_RETENTION_DAYS: integer(90, {
    help: 'Time that entries of `GET /audit` are kept. 0: nothing is recorded.',
    unit: 'days',
    maximum: 3650,
    whenToChange: 'Set the time that your rules for record keeping require.',
  }),
  AUDIT_RETENTION_COUNT: integer(100_000, {
    help: 'Maximum number of audit entries of each kind. The kinds are sends, other operations, and requests with the status 401, 403 or 429.',
    unit: 'count',
    minimum: 1,
    whenToChange: 'Raise it when entries are removed before `AUDIT_RETENTION_DAYS`.',
  }),
  EGRESS_ALLOW: text('', {
    help: 'Private networks that outgoing requests may reach: CIDRs, comma separated.',
    whenToChange:
      'Set it when media URLs point to a private network. With `EGRESS_STRICT` webhooks and proxies need it too.',
  }),
  EGRESS_STRICT: flag(false, {
    help: 'Forbid webhooks and proxies in private networks too. Media URLs there always need `EGRESS_ALLOW`.',
    whenToChange: 'Set it when untrusted clients configure webhooks.',
  }),
} satisfies DeclaredSettings;
