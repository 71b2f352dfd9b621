import { Boom } from '@hapi/boom';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { fetchGroupPicture, fetchGroups } from '../../../src/whatsapp/group/read.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const [first, second] = ['120363025246125486@g.us', '120363025246125487@g.us'] as const;
const node = (tag: string, attrs: Record<string, string>, content?: BinaryNode[]): BinaryNode => ({
  tag,
  attrs,
  content,
});
const members = ['1@lid', '2@lid'].map((jid) => node('participant', { jid }));
const groups = [first, second].map((id) => node('group', { id, addressing_mode: 'lid' }, members));

it('fetchGroups() does not overwrite a group change that arrives before its answer', async () => {
  const { promise: answer, resolve } = Promise.withResolvers<BinaryNode>();
  const isPictureQuery = ({ attrs }: BinaryNode) => attrs.xmlns === 'w:profile:picture';
  const session = fakeSession({
    query: async (iq: BinaryNode) => (isPictureQuery(iq) ? node('iq', { type: 'result' }) : answer),
  });
  for (const id of [first, second])
    session.groups.set({ id, owner: undefined, subject: 'G', participants: [{ id: '1@lid' }, { id: '3@lid' }] });
  const fetched = fetchGroups(session, { withParticipants: false });
  session.groups.apply(first, node('remove', {}, [node('participant', { jid: '3@lid' })]));
  resolve(node('iq', { type: 'result' }, [node('groups', {}, groups)]));
  expect(await fetched).toMatchObject([{ id: first }, { id: second }]);
  const idsOf = async (id: string) => (await session.groups.get(id)).participants.map((member) => member.id);
  expect(await idsOf(first)).toEqual(['1@lid']);
  expect(await idsOf(second)).toEqual(['1@lid', '2@lid']);
});

it('fetchGroups() lists the other groups when one group has no id', async () => {
  const answer = node('iq', { type: 'result' }, [node('groups', {}, [node('group', { subject: 'G' }), ...groups])]);
  const session = fakeSession({ query: async () => answer });
  expect(await fetchGroups(session, { withParticipants: false })).toMatchObject([{ id: first }, { id: second }]);
});

it.each([
  { code: 429, queries: 2 },
  { code: 404, queries: 1 },
])('fetchGroupPicture() sends $queries queries in two calls when WhatsApp refuses the first one with $code', async ({
  code,
  queries,
}) => {
  const picture = node('picture', { url: 'https://pps.example/1' });
  let count = 0;
  const session = fakeSession({
    query: async () => {
      count += 1;
      if (count === 1) throw new Boom('refused', { data: code });
      return node('iq', { type: 'result' }, [picture]);
    },
  });
  expect(await fetchGroupPicture(session, first)).toBeNull();
  expect(await fetchGroupPicture(session, first)).toBe(queries === 2 ? picture.attrs.url : null);
  expect(count).toBe(queries);
});
