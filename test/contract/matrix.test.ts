// Sends every row of the route table to one gateway with one linked instance: unchanged, with the mistakes that clients
// make, and in all their spellings. The tests of the operations cover the details.
import { expect, it } from 'vitest';
import { at, createApi, textAt } from '../support/api.ts';
import { DECISIONS } from '../support/decisions.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, createOwnGroup, jid, ownNumber, startLinked } from '../support/group.ts';
import { tone } from '../support/sounds.ts';
import { film } from '../support/videos.ts';
import { absentRoutes, absentRoutesDecision, finalRows, rows } from './matrix.ts';
import { type Fixtures, pixel, type Row } from './matrix-row.ts';
import { shapeOf, spellings } from './spellings.ts';

async function prepare(world: World): Promise<Fixtures> {
  const { api, sandbox, receiver } = world;
  const send = async (path: string, body: object) =>
    textAt((await api('POST', `/message/${path}/sales`, { number: ada, ...body })).body, 'key.id');
  const received = await sandbox.phones.phone(ada).send(ownNumber, { text: 'hello' });
  await receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === received);
  await sandbox.phones.phoneAppState.change(sandbox.world.account(ownNumber), {
    addLabel: { id: '7', name: 'Customers', color: 3, deleted: false },
  });
  await receiver.next(({ body }) => isEvent(body, 'labels.edit'));
  await api('POST', '/instance/create', { instanceName: 'spare' });
  return {
    ...{ ada, bob, adaJid: jid(ada), received, label: '7', hook: receiver.url },
    group: (await createOwnGroup(world)).id,
    theirGroup: createAdasGroup(world).id,
    invitation: createAdasGroup(world, [bob]).inviteCode,
    sent: await send('sendText', { text: 'hi' }),
    removable: await send('sendText', { text: 'wrong' }),
    image: await send('sendMedia', { mediatype: 'image', media: pixel }),
    sound: tone(0.2, 8_000).toString('base64'),
    video: film(1).toString('base64'),
  };
}

const nameOf = ({ method, path, dialect }: Row) => `${method} ${path}${dialect ? ` (${dialect})` : ''}`;
const bodyOf = ({ body }: Row) => (typeof body === 'function' ? body() : body);
const pathOf = ({ path }: Row, instance = 'sales') => path.replace(':i', instance);
const expectedStatus = ({ status, deviation }: Row) => deviation?.[0] ?? status;

/** The status of an answer. An unexpected status is followed by the body. */
const summaryOf = ({ status, body }: { status: number; body: unknown }, expectedStatusCode: number) =>
  status === expectedStatusCode ? status : `${status} ${JSON.stringify(body)?.slice(0, 300)}`;

/** Sends every row, checks its status, and returns the shape of each answer. */
async function expectStatuses({ api }: World, table: readonly Row[]): Promise<Map<Row, string>> {
  const shapes = new Map<Row, string>();
  for (const row of table) {
    const answer = await api(row.method, pathOf(row), bodyOf(row));
    expect.soft(summaryOf(answer, expectedStatus(row)), nameOf(row)).toBe(expectedStatus(row));
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

/** Checks the answers to a wrong method, to a missing key and to an unknown instance. */
async function expectGuards({ api }: World, row: Row): Promise<void> {
  const { method, isPublic } = row;
  const body = bodyOf(row);
  const wrongVerb = await api('PATCH', pathOf(row), {});
  expect.soft(wrongVerb.body).toMatchObject(envelope(404, 'Not Found', [`Cannot PATCH ${pathOf(row)}`]));
  if (isPublic) return;
  const unauthorized = await createApi(api.url, '')(method, pathOf(row), body);
  expect.soft(unauthorized.body, nameOf(row)).toMatchObject(envelope(401, 'Unauthorized', 'Unauthorized'));
  if (!row.path.includes(':i')) return;
  const unknown = await api(method, pathOf(row, 'nobody'), body);
  const notFound = envelope(404, 'Not Found', ['The "nobody" instance does not exist']);
  expect.soft(unknown.body, nameOf(row)).toMatchObject(notFound);
}

async function expectMistakes({ api }: World, row: Row): Promise<void> {
  const { method, path, blank = row.body ? 400 : undefined, closed = 400, absent = 400 } = row;
  const body = bodyOf(row);
  const request = async (what: string, expectedStatusCode: number, content: unknown, instance?: string) => {
    const answer = await api(method, pathOf(row, instance), content);
    expect.soft(summaryOf(answer, expectedStatusCode), `${nameOf(row)}: ${what}`).toBe(expectedStatusCode);
    return answer.body;
  };
  if (blank !== undefined) {
    const answer = await request('{}', blank, {});
    if (blank === 400) expect.soft(answer, nameOf(row)).toMatchObject({ code: 'INVALID_REQUEST' });
  }
  if (closed !== 'busy' && path.includes(':i')) {
    const answer = await request('not connected', closed, body, 'spare');
    const texts = expect.arrayContaining(['Error: Connection Closed']);
    if (row.closed === undefined) expect.soft(answer, nameOf(row)).toMatchObject(envelope(400, 'Bad Request', texts));
  }
  if (body && 'number' in body) {
    const number = '15550000000';
    const answer = await request('unknown number', absent, { ...body, number });
    const message = [{ exists: false, jid: jid(number), number }];
    if (row.absent === undefined) expect.soft(at(answer, 'response.message'), nameOf(row)).toEqual(message);
  }
}

const STATUS_TITLES = { 400: 'Bad Request', 404: 'Not Found' };

/** Requests that the platform refuses, with the status and the texts that clients expect. */
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

it('the gateway answers every route, method and body form of its clients as expected, in every spelling', async () => {
  const world = await startLinked({ env: { AUTH_FAILURE_LIMIT: '0' } });
  const table = rows(await prepare(world));
  const shapes = await expectStatuses(world, table);
  const paths = new Map(table.map((row) => [row.method + row.path, row]));
  for (const row of paths.values()) await expectGuards(world, row);
  for (const row of table) await expectMistakes(world, row);
  for (const row of table.filter(({ once }) => !once)) {
    for (const { what, path, body } of spellings(pathOf(row), () => bodyOf(row))) {
      const answer = await world.api(row.method, path, body);
      const name = `${nameOf(row)}: ${what}`;
      expect.soft(summaryOf(answer, expectedStatus(row)), name).toBe(expectedStatus(row));
      if (answer.status === expectedStatus(row)) expect.soft(shapeOf(answer.body), name).toBe(shapes.get(row));
    }
  }
  for (const number of [Number(ada), `+${ada}`, `+1 (555) 000-${ada.slice(-4)}`, jid(ada), `${ada}@c.us`]) {
    const answer = await world.api('POST', '/message/sendText/sales', { number, text: 'hi' });
    expect.soft(at(answer.body, 'key.remoteJid'), String(number)).toBe(jid(ada));
  }
  for (const [path, status, message] of refusals(createAdasGroup(world, [bob]).id)) {
    const answer = await world.api('GET', path);
    expect.soft(answer.body, path).toMatchObject(envelope(status, STATUS_TITLES[status], message));
  }
  for (const path of absentRoutes) {
    const [method = '', url = ''] = path.split(' ');
    const answer = await world.api(method, url, method === 'GET' ? undefined : {});
    expect.soft(answer.body, path).toMatchObject(envelope(404, 'Not Found', [`Cannot ${path}`]));
  }
  await expectStatuses(world, finalRows);
}, 600_000);

it('every deviation in the route table refers to a decision that exists', () => {
  const emptyFixtures = new Proxy({} as Fixtures, { get: () => '' });
  const decisionNumbers = new Set([
    absentRoutesDecision,
    ...rows(emptyFixtures).flatMap(({ deviation }) => deviation?.[1] ?? []),
  ]);
  for (const name of decisionNumbers) expect(DECISIONS.map(({ number }) => number)).toContain(name);
});
