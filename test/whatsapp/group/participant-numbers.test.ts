import type { BinaryNode } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { decideJoinRequests } from '../../../src/whatsapp/group/join-requests.ts';
import { updateParticipants } from '../../../src/whatsapp/group/participants.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const group = '120363025246125486@g.us';
const ada = '4915112345678';
const bob = '4915112345679';
const node = (tag: string, attrs: Record<string, string>, content?: BinaryNode[]): BinaryNode => ({
  tag,
  attrs,
  content,
});

it('decideJoinRequests() returns the phone numbers of the join requests in the order of the call', async () => {
  const joinRequests = [
    node('membership_approval_request', { jid: '1@lid', phone_number: `${ada}@s.whatsapp.net` }),
    node('membership_approval_request', { jid: '2@lid', phone_number: `${bob}@s.whatsapp.net` }),
  ];
  const decidedParticipants = [
    node('participant', { jid: '1@lid' }),
    node('participant', { jid: '2@lid', error: '409' }),
  ];
  const session = fakeSession({
    query: async ({ attrs }: BinaryNode) =>
      node('iq', { type: 'result' }, [
        attrs.type === 'get'
          ? node('membership_approval_requests', {}, joinRequests)
          : node('membership_requests_action', {}, [node('approve', {}, decidedParticipants)]),
      ]),
  });
  const participants = [bob, ada];
  expect(await decideJoinRequests(session, group, { action: 'approve', participants })).toMatchObject([
    { status: '409', jid: `${bob}@s.whatsapp.net`, content: { attrs: { jid: '2@lid' } } },
    { status: '200', jid: `${ada}@s.whatsapp.net`, content: { attrs: { jid: '1@lid' } } },
  ]);
});

it('decideJoinRequests() rejects with certain: false when the answer contains no result', async () => {
  const joinRequests = [node('membership_approval_request', { jid: '1@lid', phone_number: `${ada}@s.whatsapp.net` })];
  const session = fakeSession({
    query: async ({ attrs }: BinaryNode) =>
      node('iq', { type: 'result' }, [
        attrs.type === 'get'
          ? node('membership_approval_requests', {}, joinRequests)
          : node('membership_requests_action', {}),
      ]),
  });
  const decision = decideJoinRequests(session, group, { action: 'approve', participants: [ada] });
  await expect(decision).rejects.toMatchObject({ code: 'GROUP_REFUSED', status: 400, certain: false });
});

it('updateParticipants() returns the phone numbers that the group contains for its members', async () => {
  const members = [node('participant', { jid: '1@lid', phone_number: `${ada}@s.whatsapp.net` })];
  const record = node('group', { id: group, addressing_mode: 'lid' }, members);
  const removal = node('remove', {}, [node('participant', { jid: '1@lid' })]);
  const session = fakeSession({
    query: async ({ attrs }: BinaryNode) => node('iq', { type: 'result' }, [attrs.type === 'get' ? record : removal]),
  });
  expect(await updateParticipants(session, group, { action: 'remove', participants: [ada] })).toMatchObject([
    { status: '200', jid: `${ada}@s.whatsapp.net` },
  ]);
});
