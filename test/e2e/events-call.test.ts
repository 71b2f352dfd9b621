// Calls: their webhook events, and the settings rejectCall, msgCall and groupsIgnore.
import { encodeBinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import type { ClientStanza } from '../../packages/sandbox/src/sandbox.ts';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, isState, startWorld, type World } from '../support/gateway.ts';

const mine = '15550007001';
const ada = '15550007002';
const bob = '15550007003';
const jid = (number: string) => `${number}@s.whatsapp.net`;
const lid = expect.stringMatching(/^\d+@lid$/);

async function linkWith(settings: object, world: World, name: string, number: string): Promise<void> {
  const body = { instanceName: name, qrcode: true, webhook: world.receiver.url, ...settings };
  const created = await world.api('POST', '/instance/create', body);
  await world.sandbox.pairing.scanQr(number, textAt(created.body, 'qrcode.code'));
  await world.receiver.next((post) => isState(post.body, name, 'open'));
}

const waitForCall = (world: World, id: string, status: string) =>
  world.receiver.next(
    (post) => isEvent(post.body, 'call') && at(post.body, 'data.id') === id && at(post.body, 'data.status') === status,
  );

describe('calls', () => {
  it('a call is posted from its ringing to its end, also when it rang while the gateway was stopped', async () => {
    const world = await startWorld();
    await linkWith({}, world, 'shop', mine);
    const { calls } = world.sandbox.phones;
    const { id } = calls.ring(ada, mine, { video: true });
    const offerPost = await waitForCall(world, id, 'offer');
    expect(at(offerPost.body, 'data')).toEqual({
      ...{ id, chatId: jid(ada), from: jid(ada), fromAlt: lid, status: 'offer', offline: false },
      ...{ isVideo: true, isGroup: false, date: expect.stringMatching(/Z$/) },
    });
    calls.end(id);
    expect(at((await waitForCall(world, id, 'terminate')).body, 'data')).toMatchObject({
      from: jid(ada),
      isVideo: true,
    });

    await world.gateway.stop();
    const missed = calls.ring(bob, mine);
    calls.end(missed.id, 'timeout');
    await world.restart();
    expect(at((await waitForCall(world, missed.id, 'offer')).body, 'data')).toMatchObject({
      from: jid(bob),
      offline: true,
    });
    await waitForCall(world, missed.id, 'timeout');
  });

  it('rejectCall and msgCall reject a call and send one text; a call that rang during a downtime gets neither', async () => {
    const world = await startWorld();
    const { calls, phone } = world.sandbox.phones;
    await linkWith({ rejectCall: true, msgCall: 'Please write instead' }, world, 'strict', mine);
    const { id } = calls.ring(ada, mine);
    await calls.waitFor(() => calls.all.find((call) => call.id === id)?.state === 'rejected');
    const post = await world.receiver.next((post) => isEvent(post.body, 'send.message', 'strict'));
    expect(at(post.body, 'data.key.remoteJid')).toBe(jid(ada));

    await world.gateway.stop();
    const missed = calls.ring(bob, mine);
    await world.restart();
    await waitForCall(world, missed.id, 'offer');
    // This text arrives after any reaction to the missed call.
    await phone(bob).send(mine, { text: 'you did not answer' });
    await world.receiver.next((post) => isEvent(post.body, 'messages.upsert', 'strict'));
    expect(calls.all.find((call) => call.id === missed.id)?.state).toBe('ringing');
    const sent = world.receiver.posts.filter((post) => isEvent(post.body, 'send.message'));
    expect(sent.map((post) => at(post.body, 'data.message.conversation'))).toEqual(['Please write instead']);
  });

  it('msgCall without rejectCall sends the text and leaves the call ringing', async () => {
    const world = await startWorld();
    const { calls } = world.sandbox.phones;
    await linkWith({ msgCall: 'We only read' }, world, 'polite', mine);
    const { id } = calls.ring(ada, mine);
    await world.receiver.next((post) => isEvent(post.body, 'send.message', 'polite'));
    expect(calls.all.find((call) => call.id === id)?.state).toBe('ringing');
  });
});

/** Writes a `<call>` of Ada, with a child `tag`, to the connection of the instance. */
function injectCall({ sandbox }: World, tag: string, attrs: Record<string, string>): void {
  const caller = lidJid(sandbox.world.account(ada));
  const child = { tag, attrs: { 'call-creator': caller, caller_pn: jid(ada), ...attrs } };
  const stanza = {
    tag: 'call',
    attrs: { from: caller, id: sandbox.world.nextId(), t: '1767225600' },
    content: [child],
  };
  sandbox.inject(mine, 'stanza', Buffer.from(encodeBinaryNode(stanza)));
}

const GROUP_CALL = { type: 'group', 'group-jid': '120363025246125486@g.us' };

it('a group call without an id is acknowledged and keeps the connection open', async () => {
  const stanzas: ClientStanza[] = [];
  const world = await startWorld({ sandbox: { tlsPort: false, onStanza: (stanza) => stanzas.push(stanza) } });
  await linkWith({}, world, 'shop', mine);
  const [companion] = world.sandbox.world.account(mine).companions.values();
  const connection = companion?.connection;
  injectCall(world, 'offer', GROUP_CALL);
  const { id } = world.sandbox.phones.calls.ring(ada, mine);
  await waitForCall(world, id, 'offer');
  expect(companion?.connection).toBe(connection);
  expect(connection?.live).toBe(true);
  const isAck = ({ node }: ClientStanza) => node.tag === 'ack' && node.attrs.class === 'call';
  await vi.waitFor(() => expect(stanzas.filter(isAck)).toHaveLength(2), { timeout: 60_000 });
});

it('a group call is not posted in any state with groupsIgnore', async () => {
  const world = await startWorld();
  await linkWith({ groups_ignore: true }, world, 'shop', mine);
  const ids: string[] = [];
  for (const state of ['offer', 'relaylatency', 'accept', 'terminate']) {
    injectCall(world, state, { 'call-id': 'GROUP-CALL', ...(state === 'offer' ? GROUP_CALL : {}) });
    const { id } = world.sandbox.phones.calls.ring(ada, mine);
    await waitForCall(world, id, 'offer');
    ids.push(id);
  }
  const posted = world.receiver.posts.filter(({ body }) => isEvent(body, 'call'));
  expect(posted.map(({ body }) => at(body, 'data.id'))).toEqual(ids);
});
