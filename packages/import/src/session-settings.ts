// What a source knows about a session besides its keys.
import type { BundleInstance, Dropped } from '../../../src/session-bundle/bundle.ts';

export interface SessionSettings {
  instance: Omit<BundleInstance, 'name'>;
  /** Settings that the gateway does not have. */
  dropped: Dropped[];
  /** Sentences for the operator. */
  warnings: string[];
}

export const NO_SETTINGS: SessionSettings = { instance: {}, dropped: [], warnings: [] };

/** The longest key of an instance that a gateway accepts. The shortest has 16 characters, or 1 with WEAK_TOKENS. */
const MAX_TOKEN_LENGTH = 255;
/** What the session bundle accepts, characters. */
export const MAX_LENGTHS = { url: 2048, headerName: 256, header: 4096, host: 253, credential: 255 };
export const MAX_HEADERS = 100;
const WEBHOOK_DISABLED =
  'The webhook is disabled, because its requests have another form here. Enable it with POST /webhook/set when the receiver is ready.';

/**
 * The settings of a key that clients use for one session. A short key is kept: the gateway knows whether it accepts
 * those of fewer than 16 characters, and its error says how.
 */
export function toTokenSettings(token: string): SessionSettings {
  const isValid = token.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token);
  if (isValid) return { ...NO_SETTINGS, instance: { token } };
  const reason = `A key has at most ${MAX_TOKEN_LENGTH} visible ASCII characters. The instance gets a new one.`;
  return dropOne('key of the session', reason);
}

/** The settings of an HTTP address that got the events of the session. It is not used until the operator enables it. */
export function toWebhookSettings(url: string, headers: Record<string, string> = {}): SessionSettings {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') return dropOne('webhook', 'Its address is no HTTP URL.');
  if (url.length > MAX_LENGTHS.url) {
    return dropOne('webhook', `Its address has more than ${MAX_LENGTHS.url} characters.`);
  }
  const all = Object.entries(headers);
  const valid = all.filter(isShortHeader).slice(0, MAX_HEADERS);
  const webhook = { enabled: false, url, ...(valid.length > 0 && { headers: Object.fromEntries(valid) }) };
  const count = all.length - valid.length;
  const dropped =
    count > 0 ? [{ type: 'header of the webhook', count, reason: 'It is too long or one too many.' }] : [];
  return { instance: { webhook }, dropped, warnings: [WEBHOOK_DISABLED] };
}

const isShortHeader = ([name, value]: [string, string]): boolean =>
  name !== '' && name.length <= MAX_LENGTHS.headerName && value.length <= MAX_LENGTHS.header;

/** The settings of a proxy. It is dropped with `reason` when there is none or a gateway cannot have it. */
export function toProxySettings(proxy: BundleInstance['proxy'], reason: string): SessionSettings {
  if (!proxy) return dropOne('proxy', reason);
  const { host, port, username = '', password = '' } = proxy;
  const isShort =
    host.length <= MAX_LENGTHS.host && Math.max(username.length, password.length) <= MAX_LENGTHS.credential;
  return isShort && port > 0 ? { ...NO_SETTINGS, instance: { proxy } } : dropOne('proxy', reason);
}

/** No settings, and one that is dropped. */
export const dropOne = (type: string, reason: string): SessionSettings => ({
  ...NO_SETTINGS,
  dropped: [{ type, count: 1, reason }],
});

/** All settings of the parts. A later part wins. */
export const mergeSettings = (parts: readonly SessionSettings[]): SessionSettings => ({
  instance: Object.assign({}, ...parts.map(({ instance }) => instance)),
  dropped: parts.flatMap(({ dropped }) => dropped),
  warnings: parts.flatMap(({ warnings }) => warnings),
});
