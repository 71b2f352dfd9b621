// Asks WhatsApp with one query which phone numbers are registered, and for their LIDs (ids that hide the number) and
// devices. Baileys needs two queries: onWhatsApp() asks for the registration, getUSyncDevices() for LIDs and devices.

import { takeRandomBytes } from '../../lib/random-bytes.ts';
import {
  type AuthenticationCreds,
  extractDeviceJids,
  jidDecode,
  S_WHATSAPP_NET,
  USyncDeviceProtocol,
} from './library.ts';
import { allChildrenOf, childOf, childrenOf, type Stanza } from './stanza.ts';
import type { StanzaQueries } from './stanza-query.ts';

/** A device of a user, in the form in which Baileys caches device lists. */
export type ListedDevice = ReturnType<typeof extractDeviceJids>[number];

/** WhatsApp's answer about one of the queried numbers. */
export interface QueriedNumber {
  jid: string;
  exists: boolean;
  /** Undefined when WhatsApp sent none. */
  lid: string | undefined;
  /** Without the device of this session. Undefined when WhatsApp sent no list. */
  devices: ListedDevice[] | undefined;
}

/**
 * Returns WhatsApp's answers about `numbers` (digits). A number without an answer is missing from the result. Rejects
 * with the errors of StanzaQueries.send().
 */
export async function queryNumbers(
  queries: Pick<StanzaQueries, 'send'>,
  creds: Pick<AuthenticationCreds, 'me'>,
  numbers: readonly string[],
): Promise<QueriedNumber[]> {
  const answer = await queries.send(toQuery(numbers));
  const list = childOf(childOf(answer, 'usync'), 'list');
  return childrenOf(list, 'user').flatMap((user) => {
    const { jid } = user.attrs;
    const contact = childOf(user, 'contact');
    if (!jid || !contact) return [];
    // `in` means that the number is registered.
    const exists = contact.attrs.type === 'in';
    return [{ jid, exists, lid: childOf(user, 'lid')?.attrs.val, devices: toDevices(user, jid, creds) }];
  });
}

function toQuery(numbers: readonly string[]): Stanza {
  const attrs = {
    context: 'interactive',
    mode: 'query',
    sid: takeRandomBytes(8).toString('hex'),
    last: 'true',
    index: '0',
  };
  const protocols: Stanza[] = [
    { tag: 'contact', attrs: {} },
    { tag: 'lid', attrs: {} },
    { tag: 'devices', attrs: { version: '2' } },
  ];
  const users = numbers.map((number) => ({
    tag: 'user',
    attrs: {},
    content: [{ tag: 'contact', attrs: {}, content: `+${number}` }],
  }));
  const content = [
    { tag: 'query', attrs: {}, content: protocols },
    { tag: 'list', attrs: {}, content: users },
  ];
  return {
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'usync' },
    content: [{ tag: 'usync', attrs, content }],
  };
}

/** Returns the devices of one user; undefined when the answer contains an error or no list of the user's devices. */
function toDevices(user: Stanza, jid: string, { me }: Pick<AuthenticationCreds, 'me'>): ListedDevice[] | undefined {
  const devices = childOf(user, 'devices');
  if (!me || !jidDecode(jid) || allChildrenOf(childOf(devices, 'device-list')).length === 0) return undefined;
  if (!devices || childOf(devices, 'error')) return undefined;
  const parsed = new USyncDeviceProtocol().parser(devices);
  // Device 0 is the phone, which belongs to the list.
  const excludeZeroDevices = false;
  return extractDeviceJids([{ id: jid, devices: parsed }], me.id, me.lid ?? '', excludeZeroDevices);
}
