import { type BinaryNode, proto } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { reactToPost } from '../../../src/whatsapp/message/channel-post-reaction.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const channel = '120363000000000001@newsletter';
const node = (tag: string, attrs: Record<string, string>, content: BinaryNode['content'] = []): BinaryNode => ({
  tag,
  attrs,
  content,
});
const text = proto.Message.encode({ conversation: 'Hello' }).finish();
const readablePost = node('message', { id: 'P1', server_id: '7', t: '1' }, [node('plaintext', {}, text)]);
/** A page of 100 deleted posts. Their server ids start at `first`. */
const deletedPosts = (first: number) =>
  Array.from({ length: 100 }, (_, index) =>
    node('message', { id: `D${first + index}`, server_id: `${first + index}` }),
  );

/** Creates a session of a channel with 200 deleted posts and older posts. `sent` collects the sent nodes. */
function openChannel(olderPosts: BinaryNode[]) {
  const pages: Record<string, BinaryNode[]> = { '': deletedPosts(120), 120: deletedPosts(20), 20: olderPosts };
  const sent: BinaryNode[] = [];
  const session = fakeSession({
    query: async ({ content }: BinaryNode) => {
      const before = (Array.isArray(content) && content[0]?.attrs.before) || '';
      return node('iq', { type: 'result' }, [node('messages', {}, pages[before] ?? [])]);
    },
    sendNode: async (stanza: BinaryNode) => void sent.push(stanza),
  });
  return { session, sent };
}

it('reactToPost() finds a post that is older than several pages of deleted posts', async () => {
  const { session, sent } = openChannel([readablePost]);
  await reactToPost(session, { channel, id: 'P1' }, '👍', {});
  expect(sent).toMatchObject([{ attrs: { to: channel, server_id: '7' } }]);
});

it('reactToPost() throws MESSAGE_NOT_FOUND when no page of the channel contains the post', async () => {
  const { session, sent } = openChannel([]);
  const reaction = reactToPost(session, { channel, id: 'P1' }, '👍', {});
  await expect(reaction).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND', certain: true });
  expect(sent).toEqual([]);
});
