// Settings of instances: linking, the name on the phone, the proxy, expiry, and connecting when the gateway starts.
import { choice, type DeclaredSettings, flag, integer, text } from './declare.ts';

export const INSTANCES = {
  QRCODE_LIMIT: integer(30, {
    help: 'QR codes that are shown before a pairing ends.',
    unit: 'count',
    minimum: 1,
    whenToChange: 'Raise it when people need longer to find their phone.',
  }),
  QRCODE_COLOR: text('198754', {
    help: 'Color of the QR code: six hex digits. A `#` before them is allowed, but it starts a comment in a `.env` file.',
    pattern: '^#?[0-9A-Fa-f]{6}$',
    whenToChange: 'Set it to the color of your pages. Keep it dark, so that phones can read the code.',
  }),
  PASSKEY_LINKING: flag(false, {
    help: 'Link instances to accounts that require a passkey. It was tested only against the sandbox, never against WhatsApp: see [passkeys](../guides/passkey-linking.md).',
    whenToChange: 'Set it when `connection.update` reports the cause `passkey_disabled`.',
  }),
  DEL_INSTANCE: integer(0, {
    help: 'Time after which an instance that is not linked, or whose account is blocked, is deleted with all its data. 0 or `false`: never.',
    unit: 'minutes',
    maximum: 525_600,
    whenToChange: 'Set it when users create instances and abandon them.',
  }),
  CONNECT_CONCURRENCY: integer(10, {
    help: 'Number of instances that connect at the same time when the gateway starts.',
    unit: 'count',
    minimum: 1,
    whenToChange: 'Raise it when many instances take too long to connect; lower it when they overload the machine.',
  }),
  // The names CONFIG_SESSION_PHONE_* are those of other gateways, so that their environment files keep working.
  CONFIG_SESSION_PHONE_CLIENT: text('Messaging Gateway', {
    help: 'Name in the list of linked devices on the phone.',
    whenToChange:
      'Set it to a name that the owners of the phones know. Devices that are already linked keep their name.',
  }),
  CONFIG_SESSION_PHONE_NAME: text('Chrome', {
    help: 'Browser name in the list of linked devices on the phone.',
    whenToChange: 'Set it when the list should show another browser.',
  }),
  PROXY_HOST: text('', {
    help: 'Proxy through which instances without a proxy of their own connect to WhatsApp. Empty: none.',
    whenToChange: 'Set it when the gateway reaches the internet only through a proxy.',
  }),
  PROXY_PORT: integer(80, {
    help: 'Port of this proxy.',
    unit: 'port number',
    minimum: 1,
    maximum: 65_535,
    whenToChange: 'Set it with `PROXY_HOST`.',
  }),
  PROXY_PROTOCOL: choice('http', ['http', 'https', 'socks5', 'socks', 'socks5h'], {
    help: 'Protocol of this proxy.',
    whenToChange: 'Set it with `PROXY_HOST`.',
  }),
  PROXY_USERNAME: text('', {
    help: 'User name for this proxy. Empty: none.',
    whenToChange: 'Set it when the proxy requires a login.',
  }),
  PROXY_PASSWORD: text('', {
    help: 'Password for this proxy.',
    whenToChange: 'Set it with `PROXY_USERNAME`.',
  }),
} satisfies DeclaredSettings;
