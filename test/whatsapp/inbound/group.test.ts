import type { GroupMetadata } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/whatsapp/inbound/batch.ts';
import { jidsMissingAlt, mapEvents } from '../../../src/whatsapp/inbound/map-events.ts';
import { me, settings } from '../../support/session-fakes.ts';

const id = '120363025246125486@g.us';
const pn = '4915112345678@s.whatsapp.net';
const lid = '222@lid';
const lidPairs = new Map([
  [pn, lid],
  [lid, pn],
]);

function mapBatch(batch: Batch, options: { groupsIgnore?: boolean; lidPairs?: Map<string, string> } = {}) {
  const { groupsIgnore = false } = options;
  const context = { me, lidPairs: options.lidPairs ?? lidPairs, settings: { ...settings, groupsIgnore }, now: 0 };
  return mapEvents(batch, {
    ...context,
    targets: new Map(),
    permissions: new Map(),
    archivedChats: new Map(),
    recordIfNew: () => true,
    onSkipped: () => undefined,
  });
}

const metadata: GroupMetadata = {
  ...{ id, subject: 'Street', owner: '333@lid', ownerPn: '49333@s.whatsapp.net', creation: 7, size: 2 },
  participants: [{ id: '333@lid', phoneNumber: '49333@s.whatsapp.net', admin: 'superadmin' }, { id: '444@lid' }],
  ...{ author: '333@lid', authorPn: undefined },
};
const authorFields = { author: lid, authorPn: undefined };
const mappedAuthor = { author: pn, authorAlt: lid };

describe('new groups', () => {
  it('mapEvents() maps a new group with the known phone numbers', () => {
    expect(mapBatch({ 'groups.upsert': [metadata] })).toMatchObject([
      {
        type: 'groups.upsert',
        group: {
          ...{ id, subject: 'Street', owner: '49333@s.whatsapp.net', author: '49333@s.whatsapp.net' },
          participants: [
            { id: '49333@s.whatsapp.net', lid: '333@lid', admin: 'superadmin' },
            { id: '444@lid', lid: '444@lid', admin: null },
          ],
        },
      },
    ]);
  });

  it('jidsMissingAlt() lists the addresses in a new group that have no second address', () => {
    expect([...jidsMissingAlt({ 'groups.upsert': [metadata] })]).toEqual(['444@lid', '333@lid']);
  });
});

describe('invalid numbers in groups', () => {
  it.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    1.5,
  ])('mapEvents() replaces the invalid group number %d by the participant count, 0 or nothing', (invalid) => {
    const numbers = { size: invalid, creation: invalid, subjectTime: invalid, ephemeralDuration: invalid };
    const [event] = mapBatch({ 'groups.upsert': [{ ...metadata, ...numbers }] });
    expect(event).toMatchObject({ group: { size: metadata.participants.length, creation: 0, subjectTime: 0 } });
    expect(event).not.toHaveProperty('group.ephemeralDuration');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('mapEvents() ignores the invalid timer %d', (invalid) => {
    expect(mapBatch({ 'groups.update': [{ id, ephemeralDuration: invalid, ...authorFields }] })).toEqual([]);
    expect(mapBatch({ 'chats.update': [{ id, ephemeralExpiration: invalid }] })).toEqual([]);
  });
});

describe('changes of groups', () => {
  it.each<[string, Partial<GroupMetadata>, object]>([
    ['the subject', { subject: 'New' }, { subject: 'New' }],
    ['the description', { desc: 'd' }, { desc: 'd' }],
    ['the description to an empty text', { desc: undefined }, { desc: '' }],
    ['the settings', { announce: true, restrict: false }, { announce: true, restrict: false }],
    ['the invite code', { inviteCode: 'c' }, { inviteCode: 'c' }],
  ])('mapEvents() maps the change of %s with its author', (_, change, fields) => {
    expect(mapBatch({ 'groups.update': [{ id, ...change, ...authorFields }] })).toEqual([
      { type: 'groups.update', group: { id, ...fields, ...mappedAuthor } },
    ]);
  });

  it('mapEvents() maps pictures and timers of groups from contact and chat events', () => {
    const batch: Batch = {
      'contacts.update': [
        { id, imgUrl: 'changed' },
        { id: pn, imgUrl: 'changed' },
      ],
      'chats.update': [
        { id, ephemeralExpiration: null },
        { id, unreadCount: 1 },
      ],
    };
    const changes = mapBatch(batch).filter(({ type }) => type === 'groups.update');
    expect(changes).toEqual([
      { type: 'groups.update', group: { id, picture: 'changed' } },
      { type: 'groups.update', group: { id, ephemeralDuration: 0 } },
    ]);
  });

  it('mapEvents() skips full group records and group updates without a change', () => {
    expect(mapBatch({ 'groups.update': [metadata, { id, ...authorFields }] })).toEqual([]);
  });
});

describe('participants of groups', () => {
  const participants = [
    { id: lid, admin: 'admin' as const },
    { id: '49555@s.whatsapp.net', lid: '555@lid' },
  ];
  const mappedParticipants = [
    { jid: pn, lid, admin: 'admin' },
    { jid: '49555@s.whatsapp.net', lid: '555@lid' },
  ];

  it.each([
    'add',
    'remove',
    'promote',
    'demote',
    'modify',
  ] as const)('mapEvents() maps a change of participants: %s', (action) => {
    const update = { id, action, participants, author: lid };
    const type = 'group-participants.update';
    expect(mapBatch({ [type]: update })).toEqual([
      { type, id, action, participants: mappedParticipants, ...mappedAuthor },
    ]);
  });

  it('mapEvents() omits an unknown admin rank of a participant', () => {
    const update = { id, action: 'promote' as const, author: lid };
    const withUnknownRank = [{ id: lid }];
    for (const person of withUnknownRank) Reflect.set(person, 'admin', 'groups');
    expect(mapBatch({ 'group-participants.update': { ...update, participants: withUnknownRank } })).toMatchObject([
      { participants: [{ jid: pn, lid }] },
    ]);
    expect(
      JSON.stringify(mapBatch({ 'group-participants.update': { ...update, participants: withUnknownRank } })),
    ).not.toContain('admin');
  });

  it('mapEvents() uses the LID of a participant whose number is unknown', () => {
    const update = { id, action: 'add' as const, participants: [{ id: lid }], author: lid };
    expect(mapBatch({ 'group-participants.update': update }, { lidPairs: new Map() })).toMatchObject([
      { participants: [{ jid: lid, lid }], author: lid },
    ]);
  });

  it('mapEvents() maps join requests', () => {
    const request = { id, action: 'created' as const, method: 'invite_link' as const, participant: lid, author: lid };
    expect(mapBatch({ 'group.join-request': request })).toEqual([
      {
        ...{ type: 'group.join-request', id, action: 'created', method: 'invite_link', ...mappedAuthor },
        participant: { jid: pn, lid },
      },
    ]);
  });
});

it('mapEvents() skips all group events when groupsIgnore is on', () => {
  const batch: Batch = {
    'groups.upsert': [metadata],
    'groups.update': [{ id, subject: 'New' }],
    'group-participants.update': { id, action: 'add', participants: [{ id: lid }], author: lid },
    'group.join-request': { id, action: 'created', participant: lid, author: lid, method: undefined },
    'contacts.update': [{ id, imgUrl: 'removed' }],
    call: [{ ...call, isGroup: true, groupJid: id }],
  };
  expect(mapBatch(batch, { groupsIgnore: true })).toEqual([]);
});

const call = {
  id: 'C',
  chatId: lid,
  from: lid,
  callerPn: pn,
  date: new Date(5),
  status: 'offer' as const,
  offline: false,
};

describe('calls', () => {
  it('mapEvents() maps the caller of a call with phone number and LID', () => {
    const event = { type: 'call', id: 'C', chatId: pn, from: pn, fromAlt: lid, at: 5, status: 'offer', offline: false };
    expect(mapBatch({ call: [{ ...call, isVideo: true, isGroup: false }] }, { lidPairs: new Map() })).toEqual([
      { ...event, isVideo: true, isGroup: false },
    ]);
  });

  it.each([
    ['no id', { id: undefined }],
    ['an empty id', { id: '' }],
  ])('mapEvents() skips a call with %s', (_label, change) => {
    expect(mapBatch({ call: [Object.assign({ ...call }, change)] })).toEqual([]);
  });

  it('mapEvents() omits the invalid latency of a call', () => {
    const [event] = mapBatch({ call: [{ ...call, latencyMs: Number.NaN }] });
    expect(event).not.toHaveProperty('latencyMs');
  });

  it.each([
    Number.NaN,
    -1,
    Date.UTC(10_000, 0),
  ])('mapEvents() uses the current time for the invalid time %d of a call', (time) => {
    const [event] = mapBatch({ call: [{ ...call, date: new Date(time) }] });
    expect(event).toMatchObject({ type: 'call', at: 0 });
  });
});
