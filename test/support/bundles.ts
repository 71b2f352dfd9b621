// Session bundles of accounts in the sandbox, and the request that imports a bundle as a file.
import { Curve } from '@whiskeysockets/baileys';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { type BaileysKey, fromBaileys } from '../../src/session-bundle/baileys.ts';
import { BUNDLE_FORMAT, BUNDLE_VERSION, type SessionBundle } from '../../src/session-bundle/bundle.ts';
import { type Answer, expectAnswerConforms } from './api.ts';
import { KEY } from './gateway.ts';

export const PASSPHRASE = 'correct horse battery staple';

/** `count` pre-keys with the ids from 1 on. */
export const preKeys = (count: number): BaileysKey[] =>
  Array.from({ length: count }, (_, n) => ({ type: 'pre-key', id: `${n + 1}`, value: Curve.generateKeyPair() }));

/** The bundle of a new companion of `number`, without encryption. */
export function provisionBundle(
  sandbox: Pick<Sandbox, 'provision'>,
  number: string,
  keys: readonly BaileysKey[] = preKeys(3),
): SessionBundle {
  const session = fromBaileys({ creds: sandbox.provision(number), keys });
  return {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    createdAt: new Date().toISOString(),
    source: 'test',
    instance: { name: 'moved' },
    credentials: session.credentials,
    keys: session.keys,
  };
}

/** Calls POST /instance/import with a form that has the bundle as a file. */
export async function importForm(url: string, file: string, fields: Record<string, string>): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([file]), 'shop.session.json');
  const response = await fetch(`${url}/instance/import`, { method: 'POST', headers: { apikey: KEY }, body: form });
  const answer = { status: response.status, headers: response.headers, body: await response.json() };
  expectAnswerConforms('POST', '/instance/import', answer);
  return answer;
}
