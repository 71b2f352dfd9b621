// Converts what a source stores about a session besides its keys: token, webhook, proxy and other settings.
import type { BundleInstance, Dropped } from '../../../../src/session-bundle/bundle.ts';

export interface SessionSettings {
  /** The settings that the instance gets in the gateway. */
  instance: Omit<BundleInstance, 'name'>;
  /** Settings of the source that the instance does not get, with the reason. */
  dropped: Dropped[];
  /** Sentences for the operator. */
  warnings: string[];
}

export const NO_SETTINGS: SessionSettings = { instance: {}, dropped: [], warnings: [] };

/**
 * Maximum length of an instance's key (`token`) in the gateway, characters. The minimum is 16, or 1 when the gateway
 * has the setting WEAK_TOKENS.
 */
const MAX_TOKEN_LENGTH = 255;
/** Maximum lengths of texts in a session bundle, characters. `credential` is a user name or a password. */
export const MAX_LENGTHS = { url: 2048, host: 253, credential: 255 };
const WEBHOOK_DISABLED =
  'The webhook is disabled, because its requests have another form here. Enable it with POST /webhook/set when the receiver is ready.';

/**
 * The settings for the key with which API clients use one session. A short key is kept: only the gateway knows whether
 * it accepts keys with fewer than 16 characters.
 */
export function toTokenSettings(token: string): SessionSettings {
  const isValid = token.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token);
  if (isValid) return { ...NO_SETTINGS, instance: { token } };
  const reason = `A key has at most ${MAX_TOKEN_LENGTH} visible ASCII characters. The instance gets a new one.`;
  return dropOne('key of the session', reason);
}

/**
 * The settings for a webhook. `url` is the address to which the source program sent the events of the session. The
 * webhook is disabled, because the requests of the gateway have another form than those of the source program.
 * toAcceptedSettings() in accepted-settings.ts checks the headers later.
 */
export function toWebhookSettings(url: string, headers: Record<string, string> = {}): SessionSettings {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') return dropOne('webhook', 'Its address is no HTTP URL.');
  if (url.length > MAX_LENGTHS.url) {
    return dropOne('webhook', `Its address has more than ${MAX_LENGTHS.url} characters.`);
  }
  const webhook = { enabled: false, url, ...(Object.keys(headers).length > 0 && { headers }) };
  return { ...NO_SETTINGS, instance: { webhook }, warnings: [WEBHOOK_DISABLED] };
}

/**
 * The settings for a proxy. Reports the proxy as dropped, with `reason`, when `proxy` is undefined, has the port 0, or
 * has texts that are too long for a bundle.
 */
export function toProxySettings(proxy: BundleInstance['proxy'], reason: string): SessionSettings {
  if (!proxy) return dropOne('proxy', reason);
  const { host, port, username = '', password = '' } = proxy;
  const fitsBundle =
    host.length <= MAX_LENGTHS.host && Math.max(username.length, password.length) <= MAX_LENGTHS.credential;
  return fitsBundle && port > 0 ? { ...NO_SETTINGS, instance: { proxy } } : dropOne('proxy', reason);
}

/** An empty result that reports one dropped setting. */
export const dropOne = (type: string, reason: string): SessionSettings => ({
  ...NO_SETTINGS,
  dropped: [{ type, count: 1, reason }],
});

/** Joins settings. A member of a later `instance` overwrites the same member of an earlier one. */
export const mergeSettings = (parts: readonly SessionSettings[]): SessionSettings => ({
  instance: Object.assign({}, ...parts.map(({ instance }) => instance)),
  dropped: parts.flatMap(({ dropped }) => dropped),
  warnings: parts.flatMap(({ warnings }) => warnings),
});
