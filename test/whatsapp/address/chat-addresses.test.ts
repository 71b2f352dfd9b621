import { describe, expect, it } from 'vitest';
import { ChatAddresses } from '../../../src/whatsapp/address/chat-addresses.ts';
import { LidCache } from '../../../src/whatsapp/address/lid-map.ts';
import type { AddressForm } from '../../../src/whatsapp/session.ts';

const me = { jid: '4915100000001@s.whatsapp.net', lid: '111@lid', name: null };
const pn = '4915112345678@s.whatsapp.net';
const lid = '222@lid';
const newContact = '4930111111@s.whatsapp.net';
const group = '120363025246125486@g.us';

/** Creates the addresses of an account that knows the LID of one person. */
function createAddresses(form: AddressForm, isStoreBroken = false): ChatAddresses {
  const pairs: Record<string, string> = { '4915112345678': '222', '222_reverse': '4915112345678' };
  const get = async (_type: string, ids: string[]) => {
    if (isStoreBroken) throw new Error('closed');
    return Object.fromEntries(ids.flatMap((id) => (pairs[id] ? [[id, pairs[id]]] : [])));
  };
  return new ChatAddresses({ form, keys: { get }, lidCache: new LidCache(), me: () => me });
}

const toNumberAddress = (chat: string) => ({ chat, jid: chat, form: 'pn', attributes: {} });

describe('ChatAddresses.find', () => {
  it.each<[string, AddressForm, string, object]>([
    ['the LID of a person', 'lid', pn, { chat: pn, jid: lid, form: 'lid', attributes: { peer_recipient_pn: pn } }],
    ['the number of a person whose LID is unknown', 'lid', newContact, toNumberAddress(newContact)],
    [
      'the LID of a person without a known number',
      'lid',
      '333@lid',
      { chat: '333@lid', jid: '333@lid', form: 'lid', attributes: {} },
    ],
    [
      'the own LID',
      'lid',
      me.jid,
      { chat: me.jid, jid: me.lid, form: 'lid', attributes: { peer_recipient_pn: me.jid } },
    ],
    ['the address of a group', 'lid', group, { chat: group, jid: group, attributes: {} }],
    ['the number of a person when the form is pn', 'pn', pn, toNumberAddress(pn)],
    [
      'the LID of a person without a known number when the form is pn',
      'pn',
      '333@lid',
      { chat: '333@lid', jid: '333@lid', form: 'lid', attributes: {} },
    ],
  ])('ChatAddresses.find() returns %s', async (_, form, chat, expected) => {
    expect(await createAddresses(form).find(chat)).toEqual(expected);
  });

  it('ChatAddresses.find() returns the address that setForm() chose, only for that chat', async () => {
    const addresses = createAddresses('lid');
    const other = await addresses.findOther(await addresses.find(pn));
    expect(other).toEqual(toNumberAddress(pn));
    if (other) addresses.setForm(other);
    expect(await addresses.find(pn)).toEqual(toNumberAddress(pn));
    expect((await addresses.find(me.jid)).form).toBe('lid');
  });

  it('ChatAddresses.find() returns the phone number when the stored pairs cannot be read', async () => {
    expect(await createAddresses('lid', true).find(pn)).toEqual(toNumberAddress(pn));
  });
});

describe('ChatAddresses.findOther', () => {
  it('ChatAddresses.findOther() returns undefined for a new contact, a LID without a number, and a group', async () => {
    const addresses = createAddresses('lid');
    for (const chat of [newContact, '333@lid', group])
      expect(await addresses.findOther(await addresses.find(chat)), chat).toBeUndefined();
  });
});
