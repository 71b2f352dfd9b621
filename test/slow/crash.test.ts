// A gateway process is killed at every moment between the arrival of a message and the end of its delivery. The platform lives on.
import { describe, expect, it } from 'vitest';
import { pnJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from '../support/api.ts';
import { isEvent } from '../support/gateway.ts';
import { link, stage } from '../support/killable.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const mine = '15550016001';
const ada = '15550016002';

const says = (text: string) => (post: { body: unknown }) =>
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
])('a gateway on %s that is killed while a message comes in: %s', (dialect, kind) => {
  it('delivers it at least once, under one id, and stores it once', async () => {
    const env: Record<string, string> = {};
    if (dialect === 'PostgreSQL') {
      const server = sharedPostgres();
      // Started again it is the same node, with any port.
      Object.assign(env, { DATABASE_URL: await server.createDatabase(), NODE_NAME: 'node' });
    }
    const world = await stage(env);
    const { sandbox, receiver } = world;
    let { program, api } = await world.start();
    await link(world, api, mine);
    const account = (number: string) => sandbox.world.account(number);
    const [group] = sandbox.groups.create(account(ada), 'Crew', [pnJid(account(mine))]);
    await sandbox.phones.phone(ada).send(mine, { text: 'makes a session' });
    await receiver.next(says('makes a session'));
    let strangers = 15550016010;
    const sender = () => sandbox.phones.phone(kind === 'the first of its sender' ? String(strangers++) : ada);
    const to = kind === 'one in a group' ? group.id : mine;
    const texts: string[] = [];
    // Between the first commit and the last: the other moments are the same with every database.
    for (const moment of dialect === 'SQLite' ? moments : moments.slice(1, 4)) {
      const text = `killed ${moment}`;
      texts.push(text);
      const seen = receiver.posts.length;
      const isLast = moment === 'after the delivery';
      if (!isLast) world.arm(moment);
      receiver.answer((post) => {
        if (isLast && says(text)(post)) world.arm(moment);
        return 200;
      });
      await sender().send(to, { text });
      await program.ended;
      receiver.answer(() => 200);
      ({ program, api } = await world.start());
      await receiver.next(() => receiver.posts.slice(seen).filter(says(text)).length >= (isLast ? 2 : 1));
      if (moment === 'before the event is stored') await program.line(/message\.resumed/);
    }
    for (const text of texts) {
      const posts = receiver.posts.filter(says(text));
      expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size, text).toBe(1);
    }
    const found = await api('POST', '/chat/findMessages/shop', { where: { key: { fromMe: false } }, limit: 100 });
    const stored = (found.body as unknown[]).map((record) => at(record, 'message.conversation'));
    expect(stored.toSorted()).toEqual(['makes a session', ...texts].toSorted());
    expect(receiver.posts.filter(({ body }) => isEvent(body, 'messages.undecryptable'))).toEqual([]);
    expect(sandbox.unanswered).toEqual([]);
  });
});

describe('a gateway that is killed before the event of a stanza without encryption is stored', () => {
  it('reports posts of channels, their changes, and changes of groups', async () => {
    const world = await stage({});
    const { sandbox, receiver } = world;
    let { program, api } = await world.start();
    await link(world, api, mine);
    expect((await api('POST', '/settings/set/shop', { readChannels: true })).status).toBe(201);
    const { channels, channelMessages } = sandbox.phones;
    const author = sandbox.world.account(ada);
    const channel = channels.create(author, 'News', 'Every day');
    channels.follow(channel, sandbox.world.account(mine));
    const [group] = sandbox.groups.create(author, 'Crew', [pnJid(sandbox.world.account(mine))]);
    await receiver.next(({ body }) => isEvent(body, 'groups.upsert'));
    const post = channelMessages.post(author, channel, { text: 'first' });
    await receiver.next(says('first'));
    const steps: { cause: () => unknown; isReported: (post: { body: unknown }) => boolean }[] = [
      { cause: () => channelMessages.post(author, channel, { text: 'second' }), isReported: says('second') },
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
    // The kill of the next step can come before the end of the delivery, which is then repeated under the same id.
    const ids = receiver.posts.filter(says('second')).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect(sandbox.unanswered).toEqual([]);
  });
});
