// Settings of the connection to WhatsApp, and of test servers in its place.
import { choice, type DeclaredSettings, integer, text } from './declare.ts';

export const PLATFORM = {
  PLATFORM_VERSION: text('', {
    help: 'WhatsApp Web version to present, such as `2.3000.1`. Empty: the gateway looks it up at the start.',
    pattern: '^(\\d+\\.\\d+\\.\\d+)?$',
    whenToChange: 'Set it when WhatsApp refuses the version as outdated, or when the lookup is blocked.',
  }),
  PLATFORM_VERIFY: choice('strict', ['strict', 'warn'], {
    help: 'Handling of a wrong signature from WhatsApp. `strict`: refuse the connection. `warn`: only log it.',
    whenToChange: 'Set `warn` only when WhatsApp changes its keys and an update of the gateway is not available yet.',
  }),
  PLATFORM_URL: text('', {
    help: 'WebSocket URL of a test server in place of WhatsApp. Empty: WhatsApp.',
    whenToChange: 'Set it for tests on a [sandbox](../guides/sandbox.md) in another process.',
  }),
  PLATFORM_ROOT_KEY: text('', {
    help: 'Root key of this test server: 32 bytes in base64.',
    whenToChange: 'Set it with `PLATFORM_URL`.',
  }),
  SANDBOX_PORT: integer(8081, {
    help: 'Port of the sandbox controls (`npm run sandbox`). 0 picks a free port.',
    unit: 'port number',
    maximum: 65_535,
    whenToChange: 'Change it when another program uses the port.',
  }),
} satisfies DeclaredSettings;
