// The import rules of src: the order of the folders, and the imports of each part.

/**
 * Every folder with files, lowest first. A folder imports only from folders above it in this list, including types.
 * Therefore, the own files of two folders never depend on each other. dependencies.test.ts compares whole folders.
 */
export const LAYERS = [
  'lib',
  'errors.ts',
  'compatibility-phrases.ts',
  'session-bundle',
  'http/schemas',
  'events',
  'config/settings',
  'config',
  'egress',
  'http/dialects',
  'http/docs-page',
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
  'fill-compile-cache.js',
];

/**
 * The parts that a part can import besides itself, `lib`, `errors.ts` and `compatibility-phrases.ts`. From the parts in
 * `typeImports`, it can import only types.
 */
export const RULES: Record<string, { imports: string[]; typeImports?: string[] }> = {
  lib: { imports: [] },
  'errors.ts': { imports: [] },
  'compatibility-phrases.ts': { imports: [] },
  'session-bundle': { imports: [] },
  config: { imports: ['events'] },
  egress: { imports: [] },
  events: { imports: [] },
  storage: { imports: [], typeImports: ['events'] },
  access: { imports: [], typeImports: ['storage'] },
  sockets: { imports: ['events'], typeImports: ['storage'] },
  whatsapp: { imports: ['events', 'session-bundle'], typeImports: ['storage'] },
  webhooks: {
    imports: ['egress', 'events', 'whatsapp/address/jid.ts', 'whatsapp/address/mobile-digit.ts'],
    typeImports: ['storage'],
  },
  instances: { imports: ['events'], typeImports: ['storage', 'whatsapp/session.ts'] },
  observability: { imports: [], typeImports: ['config', 'events', 'storage', 'webhooks'] },
  cluster: {
    // Requests to other nodes go to addresses from the database, not from callers, so the rules of egress do not apply.
    imports: ['observability/cluster-metrics.ts', 'egress/undici.ts'],
    typeImports: [
      'config',
      'events',
      'instances',
      'observability',
      'sockets',
      'storage',
      'webhooks',
      'whatsapp/session.ts',
    ],
  },
  'http/schemas': { imports: [] },
  'http/dialects': { imports: ['events', 'http/schemas'] },
  http: {
    imports: ['events', 'instances', 'whatsapp', 'cluster', 'observability/metrics-access.ts'],
    typeImports: ['access', 'config', 'observability', 'session-bundle', 'sockets', 'storage', 'webhooks'],
  },
  app: {
    imports: 'access cluster config egress events http instances observability sockets storage webhooks whatsapp'.split(
      ' ',
    ),
  },
  backup: { imports: ['config', 'storage'] },
  'server.ts': { imports: ['app', 'config', 'observability', 'whatsapp/baileys/platform-endpoint.ts'] },
  'fill-compile-cache.js': { imports: ['app/module-loading.js', 'server.ts'] },
};
