// The import rules of src: the order of the folders, and what each part may import.

/**
 * Every folder with files, lowest first. A folder imports only from folders above it in this list, types included, so that no two folders
 * depend on each other and no cycle exists.
 */
export const LAYERS = [
  'lib',
  'errors.ts',
  'compatibility-phrases.ts',
  'session-bundle',
  'http/schemas',
  'config/settings',
  'config',
  'egress',
  'events',
  'http/dialects',
  'storage/migrations',
  'storage',
  'access',
  'sockets',
  'whatsapp/baileys',
  'whatsapp/baileys/auth',
  'whatsapp/baileys/patches',
  'whatsapp',
  'whatsapp/passkey',
  'whatsapp/address',
  'whatsapp/session-transfer',
  'whatsapp/content',
  'whatsapp/media',
  'whatsapp/group',
  'whatsapp/channel',
  'whatsapp/outbound',
  'whatsapp/profile',
  'whatsapp/label',
  'whatsapp/message',
  'whatsapp/chat',
  'whatsapp/inbound',
  'whatsapp/behaviors',
  'whatsapp/connection',
  'webhooks',
  'instances',
  'observability',
  'cluster',
  'http',
  'http/plugins',
  'http/routes',
  'app',
  'backup',
  'server.ts',
];

/** What a part may import beside `lib` and the error catalog; of `types` it may import types only. */
export const RULES: Record<string, { may: string[]; types?: string[] }> = {
  lib: { may: [] },
  'errors.ts': { may: [] },
  'compatibility-phrases.ts': { may: [] },
  'session-bundle': { may: [] },
  config: { may: ['http/schemas'] },
  egress: { may: [] },
  events: { may: [] },
  storage: { may: [], types: ['events'] },
  access: { may: [], types: ['storage'] },
  sockets: { may: ['events'], types: ['storage'] },
  whatsapp: { may: ['events', 'session-bundle'], types: ['storage'] },
  webhooks: {
    may: ['egress', 'events', 'http/schemas', 'whatsapp/address/jid.ts', 'whatsapp/address/mobile-digit.ts'],
    types: ['storage'],
  },
  instances: { may: ['events'], types: ['storage', 'whatsapp/session.ts', 'http/schemas'] },
  observability: { may: [], types: ['config', 'events', 'storage', 'webhooks'] },
  cluster: {
    // Requests to other nodes go to addresses that the database names, not to addresses of callers, so the rules of egress
    // do not apply to them.
    may: ['observability/cluster-metrics.ts', 'egress/undici.ts'],
    types: ['config', 'events', 'instances', 'observability', 'sockets', 'storage', 'webhooks', 'whatsapp/session.ts'],
  },
  'http/schemas': { may: [] },
  'http/dialects': { may: ['events', 'http/schemas'] },
  http: {
    may: ['events', 'instances', 'whatsapp', 'cluster', 'observability/metrics-access.ts'],
    types: ['access', 'config', 'observability', 'session-bundle', 'sockets', 'storage', 'webhooks'],
  },
  app: {
    may: 'access cluster config egress events http instances observability sockets storage webhooks whatsapp'.split(
      ' ',
    ),
  },
  backup: { may: ['config', 'storage'] },
  'server.ts': { may: ['app', 'config', 'observability', 'whatsapp/baileys/platform-endpoint.ts'] },
};
