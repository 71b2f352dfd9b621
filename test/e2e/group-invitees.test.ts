// The addresses of people in the queries that create a group and add members.
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import type { ClientStanza } from '../../packages/sandbox/src/sandbox.ts';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { pair } from '../support/client.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';
import { groupOf, ranks } from '../support/group.ts';
import { waitFor } from '../support/wait-for.ts';

const mine = '15550006601';
const ada = '15550006602';
const bob = '15550006603';
const eve = '15550006604';

async function startLinked(env: Record<string, string> = {}) {
  const stanzas: ClientStanza[] = [];
  const onStanza = (stanza: ClientStanza) => void stanzas.push(stanza);
  const world = await startWorld({ env, sandbox: { tlsPort: false, onStanza } });
  await world.link('shop', mine);
  /** The latest query with this element. */
  const latestQuery = (tag: string): BinaryNode | undefined =>
    stanzas.flatMap(({ number, node }) => (number === mine && getBinaryNodeChild(node, tag)) || []).at(-1);
  return { world, stanzas, query: latestQuery };
}

/** True for the ack of the notification that gives the account a token. */
const isTokenAck = ({ number, node: { tag, attrs } }: ClientStanza): boolean =>
  number === mine && tag === 'ack' && attrs.type === 'privacy_token';

/** Lets Ada write with a client, which makes her known and gives the account a token. */
async function makeAdaKnown({ sandbox, receiver }: World, stanzas: readonly ClientStanza[]): Promise<void> {
  const client = await pair(sandbox, ada);
  await client.socket.sendMessage(pnJid(sandbox.world.account(mine)), { text: 'hello' });
  await receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.fromMe') === false);
  // Ada's client sends the token after the message. The gateway acknowledges the token after it has stored the token.
  await waitFor(() => expect(stanzas.some(isTokenAck)).toBe(true));
}

const participantsOf = (node: BinaryNode | undefined) =>
  getBinaryNodeChildren(node, 'participant').map((participant) => ({
    ...participant.attrs,
    hasToken: getBinaryNodeChild(participant, 'privacy') !== undefined,
  }));

it('queries that create or extend a group name a known contact by LID, number and token, and others by number', {
  timeout: 60_000,
}, async () => {
  const { world, stanzas, query: latestQuery } = await startLinked();
  await makeAdaKnown(world, stanzas);
  const { world: platform } = world.sandbox;
  const [adasLid, adasNumber] = [lidJid(platform.account(ada)), pnJid(platform.account(ada))];
  const participants = [ada, bob];
  const created = await world.api('POST', '/group/create/shop', { subject: 'Neighbours', participants });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  expect(latestQuery('create')?.attrs).toEqual({ subject: 'Neighbours' });
  expect(participantsOf(latestQuery('create'))).toEqual([
    { jid: adasLid, phone_number: adasNumber, hasToken: true },
    { jid: pnJid(platform.account(bob)), hasToken: false },
  ]);
  expect(at(created.body, 'updateParticipants')).toMatchObject([
    { status: '200', jid: adasNumber },
    { status: '200', jid: pnJid(platform.account(bob)) },
  ]);
  const group = groupOf(world, textAt(created.body, 'id'));
  expect(Object.keys(ranks(group)).sort()).toEqual([mine, ada, bob]);

  const update = (action: string, numbers: string[]) =>
    world.api('POST', `/group/updateParticipant/shop?groupJid=${group.id}`, { action, participants: numbers });
  expect((await update('remove', [ada])).status).toBe(201);
  expect((await update('add', [adasLid, eve])).status).toBe(201);
  expect(participantsOf(latestQuery('add'))).toEqual([
    { jid: adasLid, phone_number: adasNumber, hasToken: true },
    { jid: pnJid(platform.account(eve)), hasToken: false },
  ]);
  expect(Object.keys(ranks(group)).sort()).toEqual([mine, ada, bob, eve]);
});

it('PLATFORM_ADDRESSING=pn names a known contact by number in the query that creates a group', {
  timeout: 60_000,
}, async () => {
  const { world, stanzas, query: latestQuery } = await startLinked({ PLATFORM_ADDRESSING: 'pn' });
  await makeAdaKnown(world, stanzas);
  const created = await world.api('POST', '/group/create/shop', { subject: 'Neighbours', participants: [ada] });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  const number = pnJid(world.sandbox.world.account(ada));
  expect(participantsOf(latestQuery('create'))).toEqual([{ jid: number, hasToken: true }]);
});

it('the sandbox refuses a participant whose number does not belong to the LID', { timeout: 60_000 }, async () => {
  const { world } = await startLinked();
  const { world: platform } = world.sandbox;
  const client = await pair(world.sandbox, ada);
  const participant = { jid: lidJid(platform.account(bob)), phone_number: pnJid(platform.account(eve)) };
  const content = [{ tag: 'create', attrs: { subject: 'x' }, content: [{ tag: 'participant', attrs: participant }] }];
  const attrs = { to: '@g.us', type: 'set', xmlns: 'w:g2' };
  await expect(client.socket.query({ tag: 'iq', attrs, content })).rejects.toMatchObject({ data: 400 });
});
