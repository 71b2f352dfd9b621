import { expect, it } from 'vitest';
import { sendPoll } from '../../../src/whatsapp/message/poll.ts';
import { fakeSession } from '../../support/session-fakes.ts';

it('sendPoll() marks the stanza as the creation of a poll', async () => {
  const nodes: unknown[] = [];
  const session = fakeSession({
    relayMessage: async (_jid, _content, { messageId = '', additionalNodes = [] }) => {
      nodes.push(...additionalNodes);
      return messageId;
    },
  });
  await sendPoll(session, { number: '5511900000002', pollMessage: { name: 'Tea?', values: ['yes', 'no'] } });
  expect(nodes).toEqual([{ tag: 'meta', attrs: { polltype: 'creation' } }]);
});
