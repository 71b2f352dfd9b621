// Accounts on the platform and their phones, which tests operate through the control API.
import { at, textAt } from '../../support/api.ts';
import type { Platform } from './platform.ts';

export interface Account {
  number: string;
  /** Phone-number JID. */
  jid: string;
  lid: string;
}

/** Calls the control API and returns the body; throws unless the status is 2xx. */
export async function control(platform: Platform, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await platform.control(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Creates a phone with a number that the platform has not used before. */
export async function createAccount(platform: Platform, name: string): Promise<Account> {
  const body = await control(platform, 'POST', '/phones', { name });
  return { number: textAt(body, 'number'), jid: textAt(body, 'jid'), lid: textAt(body, 'lid') };
}

/** Scans a QR code with the phone of the account. Resolves with the number of the linked device. */
export async function scan(platform: Platform, { number }: Account, code: string): Promise<unknown> {
  return at(await control(platform, 'POST', `/phones/${number}/scan`, { code }), 'device');
}

/** Sends a message from the phone of the account; `draft` as in the control API. Resolves with the id. */
export async function sendAs(platform: Platform, { number }: Account, to: string, draft: object): Promise<string> {
  return textAt(await control(platform, 'POST', `/phones/${number}/messages`, { to, ...draft }), 'id');
}
