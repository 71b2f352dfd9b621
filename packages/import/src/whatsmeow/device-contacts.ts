// Reads what a device stores about other people: their LIDs (hidden ids of accounts), and the privacy tokens that they
// gave to this account for its messages to them. Derives the lists of their devices from the Signal sessions.
import type { BundleKeys, BundlePrivacyToken } from '../../../../src/session-bundle/bundle.ts';
import { deviceOfAddress, parseJid, userOfAddress } from './addresses.ts';
import type { Database } from './database.ts';
import { DAMAGED, type DeviceRows } from './tables.ts';
import { bytesOf, integerOf, textOf } from './values.ts';

const MAX_TOKEN_BYTES = 4096;
/** Matches a phone number or a LID, without server and device. */
const USER = /^\d{1,20}$/;

/** Reads the privacy tokens by JID. The user of the JID is a phone number or a LID. Drops damaged rows. */
export async function readPrivacyTokens(rows: DeviceRows): Promise<Map<string, BundlePrivacyToken>> {
  const tokens = new Map<string, BundlePrivacyToken>();
  await rows.takeRows(
    {
      name: 'whatsmeow_privacy_tokens',
      owner: 'our_jid',
      order: ['their_jid'],
      columns: { token: MAX_TOKEN_BYTES },
      numbers: ['timestamp', 'sender_timestamp'],
    },
    (row) => {
      const jid = parseJid(textOf(row.their_jid) ?? '');
      const token = bytesOf(row.token, 1, MAX_TOKEN_BYTES);
      const timestamp = integerOf(row.timestamp, 0, Number.MAX_SAFE_INTEGER);
      if (!jid || !token || timestamp === undefined) return false;
      const senderTimestamp = integerOf(row.sender_timestamp, 1, Number.MAX_SAFE_INTEGER);
      tokens.set(`${jid.user}@${jid.server}`, {
        token: token.toString('base64'),
        ...(timestamp > 0 ? { timestamp: String(timestamp) } : {}),
        ...(senderTimestamp === undefined ? {} : { senderTimestamp }),
      });
      return true;
    },
  );
  return tokens;
}

export interface Contacts {
  lidMap: BundleKeys['lidMap'];
  privacyTokens: BundleKeys['privacyTokens'];
  deviceLists: BundleKeys['deviceLists'];
}

/**
 * Reads the LID map (the phone number of each LID), and derives the device lists and the privacy tokens by LID. All
 * devices of a database share one table of LIDs. With several devices, only the LIDs of people that this device knows
 * are taken: the other people could be contacts of another account.
 */
export async function readContacts(
  database: Database,
  rows: DeviceRows,
  keys: Pick<BundleKeys, 'sessions' | 'identities' | 'senderKeys'>,
  tokens: ReadonlyMap<string, BundlePrivacyToken>,
): Promise<Contacts> {
  const knownUsers = usersOf(keys, tokens);
  const [devices] = await database.all('SELECT count(*) AS count FROM whatsmeow_device');
  const hasSeveralDevices = Number(devices?.count) > 1;
  if (hasSeveralDevices) await addContacts(rows, knownUsers);
  const deviceLists = toDeviceLists(keys.sessions);
  // The LIDs must fit into the session bundle, beside the other keys.
  const maxLids = rows.remainingKeys - Object.keys(deviceLists).length;
  const lidMap = new Map<string, string>();
  // The phone numbers, by LID, of people that this device does not know. They are added last, as many as the bundle can
  // contain.
  const unknownPeople = new Map<string, string>();
  let leftOut = 0;
  let damaged = 0;
  const take = (lid: string, phone: string) => {
    if (knownUsers.has(lid) || knownUsers.has(phone)) lidMap.set(lid, phone);
    else if (!hasSeveralDevices && unknownPeople.size < maxLids) unknownPeople.set(lid, phone);
    else leftOut += 1;
  };
  const query = { name: 'whatsmeow_lid_map', order: ['lid'], columns: { pn: 32 } } as const;
  for await (const row of rows.read(query)) {
    const lid = textOf(row.lid) ?? '';
    const phone = textOf(row.pn) ?? '';
    if (USER.test(lid) && USER.test(phone)) take(lid, phone);
    else damaged += 1;
  }
  for (const [lid, phone] of unknownPeople) {
    if (lidMap.size >= maxLids) leftOut += 1;
    else lidMap.set(lid, phone);
  }
  rows.drop('whatsmeow_lid_map', damaged, DAMAGED);
  rows.drop(
    'whatsmeow_lid_map',
    leftOut,
    hasSeveralDevices
      ? 'They are of people that only other sessions know.'
      : 'There are too many; they are learned again.',
  );
  return {
    lidMap: Object.fromEntries(lidMap),
    privacyTokens: toPrivacyTokens(tokens, lidMap),
    deviceLists,
  };
}

/**
 * The phone numbers and LIDs in keys and tokens. In the names of keys, a LID has a domain ("<user>_1"), which is left
 * out. The name of a sender key is "<group>::<user>::<device>".
 */
function usersOf(
  { sessions, identities, senderKeys }: Pick<BundleKeys, 'sessions' | 'identities' | 'senderKeys'>,
  tokens: ReadonlyMap<string, BundlePrivacyToken>,
): Set<string> {
  const withoutDomain = (user: string) => user.replace(/_\d+$/, '');
  return new Set([
    ...[...Object.keys(sessions), ...Object.keys(identities)].map((one) => withoutDomain(userOfAddress(one))),
    ...Object.keys(senderKeys).map((id) => withoutDomain(id.split('::')[1] ?? '')),
    ...[...tokens.keys()].map((jid) => jid.split('@')[0] ?? ''),
  ]);
}

/** Adds the phone numbers and LIDs in the contact list of the device to `known`. */
async function addContacts(rows: DeviceRows, known: Set<string>): Promise<void> {
  const query = { name: 'whatsmeow_contacts', owner: 'our_jid', order: ['their_jid'], columns: {} } as const;
  for await (const { their_jid: jid } of rows.read(query)) {
    const user = parseJid(textOf(jid) ?? '')?.user;
    if (user !== undefined) known.add(user);
  }
}

/**
 * Returns the privacy tokens by LID, as Baileys looks them up. When a person has two tokens, keeps the one with the
 * later timestamp. A token without a timestamp counts as the oldest.
 */
function toPrivacyTokens(
  tokens: ReadonlyMap<string, BundlePrivacyToken>,
  lidMap: ReadonlyMap<string, string>,
): BundleKeys['privacyTokens'] {
  const lidOf = new Map([...lidMap].map(([lid, phone]) => [`${phone}@s.whatsapp.net`, `${lid}@lid`]));
  const result: BundleKeys['privacyTokens'] = {};
  for (const [jid, token] of tokens) {
    const id = lidOf.get(jid) ?? jid;
    if (Number(token.timestamp ?? 0) >= Number(result[id]?.timestamp ?? -1)) result[id] = token;
  }
  return result;
}

/**
 * Returns the devices with a session under a phone number, by this number. In the address of a session, a LID has a
 * domain ("<user>_1"), and a phone number has none. Baileys needs the lists to move these sessions to the LID.
 */
function toDeviceLists(sessions: BundleKeys['sessions']): BundleKeys['deviceLists'] {
  const lists: BundleKeys['deviceLists'] = {};
  for (const address of Object.keys(sessions)) {
    const user = userOfAddress(address);
    if (!user.includes('_')) lists[user] = [...(lists[user] ?? []), deviceOfAddress(address)];
  }
  return lists;
}
