// One gateway, one linked instance, and every line of the route table: as it stands, with the mistakes clients make, and in all the
// spellings they have. Depth is in the tests of the operations.
import { expect, it } from 'vitest';
import { at, createApi, textAt } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, adasGroup, bob, jid, linked, mine, ownGroup } from '../support/group.ts';
import { tone } from '../support/sounds.ts';
import { film } from '../support/videos.ts';
import { DECISIONS } from './decisions.ts';
import { missing, missingBy, removed, rows } from './matrix.ts';
import { type Fixtures, pixel, type Row } from './matrix-row.ts';
import { shapeOf, spellings } from './spellings.ts';

async function prepare(world: World): Promise<Fixtures> {
  const { api, sandbox, receiver } = world;
  const send = async (path: string, body: object) =>
    textAt((await api('POST', `/message/${path}/sales`, { number: ada, ...body })).body, 'key.id');
  const received = await sandbox.phones.phone(ada).send(mine, { text: 'hello' });
  await receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === received);
  await sandbox.phones.phoneAppState.change(sandbox.world.account(mine), {
    addLabel: { id: '7', name: 'Customers', color: 3, deleted: false },
  });
  await receiver.next(({ body }) => isEvent(body, 'labels.edit'));
  await api('POST', '/instance/create', { instanceName: 'spare' });
  return {
    ...{ ada, bob, adaJid: jid(ada), received, label: '7', hook: receiver.url },
    group: (await ownGroup(world)).id,
    theirGroup: adasGroup(world).id,
    invitation: adasGroup(world, [bob]).inviteCode,
    sent: await send('sendText', { text: 'hi' }),
    removable: await send('sendText', { text: 'wrong' }),
    image: await send('sendMedia', { mediatype: 'image', media: pixel }),
    sound: tone(0.2, 8_000).toString('base64'),
    video: film(1).toString('base64'),
  };
}

const nameOf = ({ method, path, dialect }: Row) => `${method} ${path}${dialect ? ` (${dialect})` : ''}`;
const bodyOf = ({ body }: Row) => (typeof body === 'function' ? body() : body);
const on = ({ path }: Row, instance = 'sales') => path.replace(':i', instance);
const expected = ({ status, ours }: Row) => ours?.[0] ?? status;

/** The answer in short, with the reason where it is none of the expected. */
const brief = ({ status, body }: { status: number; body: unknown }, wanted: number) =>
  status === wanted ? status : `${status} ${JSON.stringify(body)?.slice(0, 300)}`;

/** Sends every row; the shape of each answer. */
async function expectStatuses({ api }: World, table: readonly Row[]): Promise<Map<Row, string>> {
  const shapes = new Map<Row, string>();
  for (const row of table) {
    const answer = await api(row.method, on(row), bodyOf(row));
    expect.soft(brief(answer, expected(row)), nameOf(row)).toBe(expected(row));
    expect.soft(answer.headers.get('content-type'), nameOf(row)).toBe('application/json; charset=utf-8');
    shapes.set(row, shapeOf(answer.body));
    if (row.path.startsWith('/message/send') && answer.status < 300) {
      const kind = row.dialect?.startsWith('v1') ? 'string' : 'number';
      expect.soft(typeof at(answer.body, 'messageTimestamp'), nameOf(row)).toBe(kind);
    }
  }
  return shapes;
}

const envelope = (status: number, error: string, message: unknown) => ({ status, error, response: { message } });

/** What every operation checks before it looks at a body. */
async function expectGuards({ api }: World, row: Row): Promise<void> {
  const { method, isPublic } = row;
  const body = bodyOf(row);
  const wrongVerb = await api('PATCH', on(row), {});
  expect.soft(wrongVerb.body).toMatchObject(envelope(404, 'Not Found', [`Cannot PATCH ${on(row)}`]));
  if (isPublic) return;
  const refused = await createApi(api.url, '')(method, on(row), body);
  expect.soft(refused.body, nameOf(row)).toMatchObject(envelope(401, 'Unauthorized', 'Unauthorized'));
  if (!row.path.includes(':i')) return;
  const unknown = await api(method, on(row, 'nobody'), body);
  const nobody = envelope(404, 'Not Found', ['The "nobody" instance does not exist']);
  expect.soft(unknown.body, nameOf(row)).toMatchObject(nobody);
}

async function expectMistakes({ api }: World, row: Row): Promise<void> {
  const { method, path, blank = row.body ? 400 : undefined, closed = 400, absent = 400 } = row;
  const body = bodyOf(row);
  const ask = async (what: string, wanted: number, content: unknown, instance?: string) => {
    const answer = await api(method, on(row, instance), content);
    expect.soft(brief(answer, wanted), `${nameOf(row)}: ${what}`).toBe(wanted);
    return answer.body;
  };
  if (blank !== undefined) {
    const answer = await ask('{}', blank, {});
    if (blank === 400) expect.soft(answer, nameOf(row)).toMatchObject({ code: 'INVALID_REQUEST' });
  }
  if (closed !== 'busy' && path.includes(':i')) {
    const answer = await ask('not connected', closed, body, 'spare');
    const words = expect.arrayContaining(['Error: Connection Closed']);
    if (row.closed === undefined) expect.soft(answer, nameOf(row)).toMatchObject(envelope(400, 'Bad Request', words));
  }
  if (body && 'number' in body) {
    const number = '15550000000';
    const answer = await ask('nobody’s number', absent, { ...body, number });
    const message = [{ exists: false, jid: jid(number), number }];
    if (row.absent === undefined) expect.soft(at(answer, 'response.message'), nameOf(row)).toEqual(message);
  }
}

const titles = { 400: 'Bad Request', 404: 'Not Found' };

/** What the platform refuses, in the words that clients know. */
const refusals = (foreign: string): [path: string, status: 400 | 404, message: string[]][] => [
  ['/group/findGroupInfos/sales?groupJid=120363000000000001', 404, ['Error fetching group', 'Error: item-not-found']],
  [`/group/findGroupInfos/sales?groupJid=${foreign}`, 404, ['Error fetching group', 'Error: forbidden']],
  [`/group/participants/sales?groupJid=${foreign}`, 404, ['No participants', 'Error: forbidden']],
  [`/group/inviteCode/sales?groupJid=${foreign}`, 404, ['No invite code', 'Error: forbidden']],
  ['/group/inviteInfo/sales?inviteCode=AAAAAAAAAAAAAAAAAAAAAA', 404, ['No invite info', 'AAAAAAAAAAAAAAAAAAAAAA']],
  [
    '/group/acceptInviteCode/sales?inviteCode=AAAAAAAAAAAAAAAAAAAAAA',
    404,
    ['Accept invite error', 'Error: not-acceptable'],
  ],
];

it('each path with each verb and form of body is answered as its clients know, in every spelling', async () => {
  const world = await linked({ env: { AUTH_FAILURE_LIMIT: '0' } });
  const table = rows(await prepare(world));
  const shapes = await expectStatuses(world, table);
  const paths = new Map(table.map((row) => [row.method + row.path, row]));
  for (const row of paths.values()) await expectGuards(world, row);
  for (const row of table) await expectMistakes(world, row);
  for (const row of table.filter(({ once }) => !once)) {
    for (const { what, path, body } of spellings(on(row), () => bodyOf(row))) {
      const answer = await world.api(row.method, path, body);
      const name = `${nameOf(row)}: ${what}`;
      expect.soft(brief(answer, expected(row)), name).toBe(expected(row));
      if (answer.status === expected(row)) expect.soft(shapeOf(answer.body), name).toBe(shapes.get(row));
    }
  }
  for (const number of [Number(ada), `+${ada}`, `+1 (555) 000-${ada.slice(-4)}`, jid(ada), `${ada}@c.us`]) {
    const answer = await world.api('POST', '/message/sendText/sales', { number, text: 'hi' });
    expect.soft(at(answer.body, 'key.remoteJid'), String(number)).toBe(jid(ada));
  }
  for (const [path, status, message] of refusals(adasGroup(world, [bob]).id)) {
    const answer = await world.api('GET', path);
    expect.soft(answer.body, path).toMatchObject(envelope(status, titles[status], message));
  }
  for (const path of missing) {
    const [method = '', url = ''] = path.split(' ');
    const answer = await world.api(method, url, method === 'GET' ? undefined : {});
    expect.soft(answer.body, path).toMatchObject(envelope(404, 'Not Found', [`Cannot ${path}`]));
  }
  await expectStatuses(world, removed);
}, 600_000);

it('departs from what clients know only where a decision says so', () => {
  const nothing = new Proxy({} as Fixtures, { get: () => '' });
  const named = new Set([missingBy, ...rows(nothing).flatMap(({ ours }) => ours?.[1] ?? [])]);
  for (const name of named) expect(DECISIONS.map(({ number }) => number)).toContain(name);
});
