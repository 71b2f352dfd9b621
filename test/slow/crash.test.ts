// A gateway process is killed at several moments between the arrival of a message and the end of its delivery. The
// simulated platform keeps running.
import { describe, expect, it } from 'vitest';
import { pnJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from '../support/api.ts';
import { isEvent } from '../support/gateway.ts';
import { link, startStage } from '../support/killable-gateway.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const ownNumber = '15550016001';
const contactNumber = '15550016002';

const hasText = (text: string) => (post: { body: unknown }) =>
  isEvent(post.body, 'messages.upsert') && at(post.body, 'data.message.conversation') === text;

const moments = [
  'before the ratchet is stored',
  'after the ratchet is stored',
  'before the event is stored',
  'after the event is stored',
  'after the delivery',
];

describe.each([
  ['SQLite', 'the first of its sender'],
  ['SQLite', 'a later one'],
  ['SQLite', 'one in a group'],
  ['PostgreSQL', 'a later one'],
])('a crash of a gateway on %s during the reception of a message (%s)', (dialect, kind) => {
  it('a gateway that is killed while it receives a message posts it at least once under one id and stores it once', async () => {
    const env: Record<string, string> = {};
    if (dialect === 'PostgreSQL') {
      const server = sharedPostgres();
      // With this name, the restarted gateway is the same node on any port.
      Object.assign(env, { DATABASE_URL: await server.createDatabase(), NODE_NAME: 'node' });
    }
    const world = await startStage(env);
    const { sandbox, receiver } = world;
    let { program, api } = await world.start();
    await link(world, api, ownNumber);
    const account = (number: string) => sandbox.world.account(number);
    const [group] = sandbox.groups.create(account(contactNumber), 'Crew', [pnJid(account(ownNumber))]);
    await sandbox.phones.phone(contactNumber).send(ownNumber, { text: 'makes a session' });
    await receiver.next(hasText('makes a session'));
    let nextNumber = 15550016010;
    const nextSender = () =>
      sandbox.phones.phone(kind === 'the first of its sender' ? String(nextNumber++) : contactNumber);
    const recipient = kind === 'one in a group' ? group.id : ownNumber;
    const texts: string[] = [];
    // PostgreSQL: only the moments between the first commit and the last. The others do not depend on the database.
    for (const moment of dialect === 'SQLite' ? moments : moments.slice(1, 4)) {
      const text = `killed ${moment}`;
      texts.push(text);
      const postsBefore = receiver.posts.length;
      const isLast = moment === 'after the delivery';
      if (!isLast) world.arm(moment);
      receiver.answer((post) => {
        if (isLast && hasText(text)(post)) world.arm(moment);
        return 200;
      });
      await nextSender().send(recipient, { text });
      await program.ended;
      receiver.answer(() => 200);
      ({ program, api } = await world.start());
      await receiver.next(() => receiver.posts.slice(postsBefore).filter(hasText(text)).length >= (isLast ? 2 : 1));
      if (moment === 'before the event is stored') await program.line(/message\.resumed/);
    }
    for (const text of texts) {
      const posts = receiver.posts.filter(hasText(text));
      expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size, text).toBe(1);
    }
    const response = await api('POST', '/chat/findMessages/shop', { where: { key: { fromMe: false } }, limit: 100 });
    const stored = (response.body as unknown[]).map((record) => at(record, 'message.conversation'));
    expect(stored.toSorted()).toEqual(['makes a session', ...texts].toSorted());
    expect(receiver.posts.filter(({ body }) => isEvent(body, 'messages.undecryptable'))).toEqual([]);
    expect(sandbox.unanswered).toEqual([]);
  });
});

describe('a crash before the event of an unencrypted stanza is stored', () => {
  it('a restarted gateway reports channel posts, their edits and group changes that it received right before a crash', async () => {
    const world = await startStage({});
    const { sandbox, receiver } = world;
    let { program, api } = await world.start();
    await link(world, api, ownNumber);
    expect((await api('POST', '/settings/set/shop', { readChannels: true })).status).toBe(201);
    const { channels, channelMessages } = sandbox.phones;
    const author = sandbox.world.account(contactNumber);
    const channel = channels.create(author, 'News', 'Every day');
    channels.follow(channel, sandbox.world.account(ownNumber));
    const [group] = sandbox.groups.create(author, 'Crew', [pnJid(sandbox.world.account(ownNumber))]);
    await receiver.next(({ body }) => isEvent(body, 'groups.upsert'));
    const post = channelMessages.post(author, channel, { text: 'first' });
    await receiver.next(hasText('first'));
    const steps: { cause: () => unknown; isReported: (post: { body: unknown }) => boolean }[] = [
      { cause: () => channelMessages.post(author, channel, { text: 'second' }), isReported: hasText('second') },
      {
        cause: () => channelMessages.change(author, channel, post.id, 'corrected'),
        isReported: ({ body }) => isEvent(body, 'messages.edited') && JSON.stringify(body).includes('corrected'),
      },
      {
        cause: () => sandbox.groups.setSubject(group, author, 'Night crew'),
        isReported: ({ body }) => isEvent(body, 'groups.update') && JSON.stringify(body).includes('Night crew'),
      },
    ];
    for (const { cause, isReported } of steps) {
      world.arm('before any event is stored');
      cause();
      await program.ended;
      ({ program, api } = await world.start());
      await receiver.next(isReported);
    }
    // The kill of the next step can precede the end of the delivery. The gateway then repeats it under the same id.
    const ids = receiver.posts.filter(hasText('second')).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect(sandbox.unanswered).toEqual([]);
  });
});
