// The bodies of errors: statuses, texts and codes.
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { startHttp } from '../support/http-fixture.ts';
import { schemaViolations } from '../support/openapi-document.ts';
import { fakeSession } from '../support/session-fakes.ts';

/** The exact body of an error. Evolution API has no `code` and no `requestId`. */
const envelope = (status: number, error: string, message: unknown, code: string, additionalFields: object = {}) => ({
  status,
  error,
  response: { message },
  code,
  requestId: expect.stringMatching(/^[\da-f-]{36}$/),
  ...additionalFields,
});

describe('error bodies', () => {
  const unauthorized = envelope(401, 'Unauthorized', 'Unauthorized', 'UNAUTHORIZED');

  it('a request with a missing or wrong key gets a 401', async () => {
    const http = await startHttp();
    for (const apikey of [undefined, '', 'wrong', 'x'.repeat(1000)]) {
      const answer = await http.call('GET', '/instance/connectionState/shop', undefined, { apikey });
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(unauthorized);
    }
  });

  it('a request without a key gets a 401 before the instance, the body syntax and the body size are checked', async () => {
    const http = await startHttp({ BODY_LIMIT: '1024' });
    const apikey = undefined;
    for (const [path, body] of [
      ['/message/sendText/nobody', {}],
      ['/message/sendText/shop', '{'],
      ['/message/sendText/shop', 'x'.repeat(2000)],
      ['/instance/create', { instanceName: 'shop' }],
    ] as const) {
      const answer = await http.call('POST', path, body, { apikey });
      const certain = path.startsWith('/message/') ? { certain: true } : {};
      expect(answer.body, path).toEqual({ ...unauthorized, ...certain });
    }
  });

  it('an instance key gets a 401 for another instance, an unknown instance and the creation of an instance', async () => {
    const http = await startHttp();
    const apikey = 'shop-key';
    for (const path of ['/instance/connectionState/other', '/instance/connectionState/nobody', '/webhook/find/other']) {
      expect((await http.call('GET', path, undefined, { apikey })).body, path).toEqual(unauthorized);
    }
    expect((await http.call('POST', '/instance/create', { instanceName: 'n' }, { apikey })).body).toEqual(unauthorized);
  });

  it('sendText on an unknown instance answers 404', async () => {
    const http = await startHttp();
    const answer = await http.call('POST', '/message/sendText/nobody', { number: '1', textMessage: { text: 'x' } });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(
      envelope(404, 'Not Found', ['The "nobody" instance does not exist'], 'INSTANCE_NOT_FOUND', { certain: true }),
    );
  });

  it('fetchInstances answers 404 for a filter that matches no instance', async () => {
    const http = await startHttp();
    for (const query of ['instanceName=x', 'instanceId=x', 'number=x']) {
      const answer = await http.call('GET', `/instance/fetchInstances?${query}`);
      expect(answer.body).toEqual(envelope(404, 'Not Found', ['Instance "x" not found'], 'INSTANCE_NOT_FOUND'));
    }
  });

  it('instance/create answers 403 for a name in use', async () => {
    const http = await startHttp();
    const answer = await http.call('POST', '/instance/create', { instanceName: 'shop' });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual(
      envelope(403, 'Forbidden', ['This name "shop" is already in use.'], 'INSTANCE_NAME_IN_USE'),
    );
  });

  it('sendText answers 400 for an invalid body, with a list in a list that names every missing field', async () => {
    const http = await startHttp();
    const answer = await http.call('POST', '/message/sendText/shop', {});
    expect(answer.status).toBe(400);
    const message = [['instance requires property "number"', 'instance requires property "textMessage"']];
    expect(answer.body).toEqual(envelope(400, 'Bad Request', message, 'INVALID_REQUEST', { certain: true }));
  });

  const number = '15551234567';
  it.each([
    ['message/sendText', { text: 'x' }, 'instance requires property "number"'],
    ['message/sendText', { number, textMessage: {} }, 'textMessage requires property "text"'],
    ['message/sendText', { number, text: '' }, 'The "text" cannot be empty'],
    ['message/sendText', { number, text: 'x', quoted: { key: {} } }, 'quoted.key requires property "id"'],
    ['message/sendText', { number, text: 'x', mentioned: ['all'] }, '"mentioned" must be an array of numeric strings'],
    ['chat/whatsappNumbers', { numbers: [{}] }, '"numbers" must be an array of numeric strings'],
    ['chat/whatsappNumbers', { numbers: [] }, 'numbers does not meet minimum length of 1'],
    [
      'chat/sendPresence',
      { number, presence: 'away', delay: 1 },
      'presence is not one of enum values: unavailable,available,composing,recording,paused',
    ],
    [
      'message/sendText',
      { number, text: 'x', presence: 'away' },
      'presence is not one of enum values: unavailable,available,composing,recording,paused',
    ],
    [
      'message/sendMedia',
      { number, mediatype: 'film', media: 'AAAA' },
      'mediatype is not one of enum values: image,document,video,audio',
    ],
    [
      'message/sendContact',
      { number, contact: [{ fullName: 'Ada', phoneNumber: '1' }] },
      'contact[0].phoneNumber does not meet minimum length of 10',
    ],
    [
      'group/toggleEphemeral/shop?groupJid=1203630@g.us',
      { expiration: 5 },
      'expiration is not one of enum values: 0,86400,604800,7776000',
    ],
    ['group/create', { subject: 'G', participants: [{}] }, '"participants" must be an array of numeric strings'],
  ])('POST /%s with the body %j answers 400 with a compatible validation text', async (path, body, sentence) => {
    const http = await startHttp();
    const answer = await http.call('POST', path.includes('?') ? `/${path}` : `/${path}/shop`, body);
    expect(answer.status).toBe(400);
    const message = path.startsWith('group/')
      ? [{ property: expect.stringMatching(/^instance\./), message: sentence }]
      : [[sentence]];
    expect(answer.body).toMatchObject({ response: { message } });
  });

  it.each([
    [{ number }, 'instance requires property "text"'],
    [{ number, message: 'hi' }, 'instance requires property "text"'],
    [{ number, delay: 10 }, 'instance requires property "text"'],
    [{ number, text: null }, 'instance requires property "text"'],
    [{ number, text: ['a', 'b'] }, 'text is not of a type(s) string'],
    [{ number, text: 'x'.repeat(70_000) }, 'text does not meet maximum length of 65536'],
    [{ number, text: 'x', delay: 'soon' }, 'delay is not of a type(s) integer'],
    [{ number, textMessage: {} }, 'textMessage requires property "text"'],
  ])('sendText answers 400 with the field names of the form that the caller used (case %#)', async (body, sentence) => {
    const http = await startHttp();
    const answer = await http.call('POST', '/message/sendText/shop', body);
    expect(answer.body).toMatchObject({ status: 400, response: { message: [[sentence]] } });
  });

  const group = '120363025246125486@g.us';
  const twoNumbers = '15551234567,15551234568';
  const tooLong = 'must be less than or equal to 60000';
  const noNumber = 'must hold a phone number or an address';
  const contacts = [{ fullName: 'Ada', phoneNumber: twoNumbers }];
  const buttons = [{ type: 'reply', displayText: 'Yes' }];
  const status = { type: 'text', content: 'x', statusJidList: [twoNumbers] };
  const duplicateValues = { name: 'When?', values: ['a', 'a'] };
  it.each([
    ['message/sendText', { number, text: 'x', delay: 120_000 }, `delay ${tooLong}`],
    [
      'message/sendText',
      { number, textMessage: { text: 'x' }, options: { delay: 120_000 } },
      `options.delay ${tooLong}`,
    ],
    ['chat/sendPresence', { number, presence: 'composing', delay: 120_000 }, `delay ${tooLong}`],
    ['chat/sendPresence', { options: { number: twoNumbers, delay: 1 } }, `"options.number" ${noNumber}`],
    ['message/sendText', { number: group, text: 'x', mentioned: [twoNumbers] }, `mentioned[0] ${noNumber}`],
    [
      'message/sendText',
      { number, text: 'x', quoted: { key: { id: 'A' }, message: { noSuch: {} } } },
      'quoted.message has no content',
    ],
    [
      'message/sendReaction',
      { key: { id: 'A', remoteJid: twoNumbers, fromMe: true }, reaction: '👍' },
      `key.remoteJid ${noNumber}`,
    ],
    ['message/sendContact', { number, contact: contacts }, `contact[0].phoneNumber ${noNumber}`],
    ['message/sendContact', { number, contactMessage: contacts }, `contactMessage[0].phoneNumber ${noNumber}`],
    ['message/sendButtons', { number, title: 'Now?', buttons }, 'buttons[0] requires property "id"'],
    [
      'message/sendButtons',
      { number, buttonMessage: { title: 'Now?', buttons } },
      'buttonMessage.buttons[0] requires property "id"',
    ],
    ['message/sendStatus', status, `statusJidList[0] ${noNumber}`],
    ['message/sendStatus', { statusMessage: status }, `statusMessage.statusJidList[0] ${noNumber}`],
    ['message/sendPoll', { number, ...duplicateValues }, 'values contains duplicate item'],
    ['message/sendPoll', { number, pollMessage: duplicateValues }, 'pollMessage.values contains duplicate item'],
    ['chat/pinChat', { number: twoNumbers, pin: true }, `number ${noNumber}`],
    ['group/create', { subject: 'G', participants: [number, 'abc'] }, `participants[1] ${noNumber}`],
  ])('POST /%s with %j answers 400 for a check in the operation, as a validation error', async (path, body, sentence) => {
    const http = await startHttp();
    Object.assign(http.instances.get('shop') ?? {}, { session: () => fakeSession() });
    const answer = await http.call('POST', `/${path}/shop`, body);
    const message = path.startsWith('group/')
      ? [{ property: 'instance.participants[1]', message: sentence }]
      : [[sentence]];
    expect(answer.body).toMatchObject({ status: 400, code: 'INVALID_REQUEST', response: { message } });
  });

  it('a 400 names the Content-Type of a JSON body that the gateway parsed as a form', async () => {
    const http = await startHttp();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await http.call('POST', '/message/sendText/shop', '{"number":"15551234567","text":"hi"}', type);
    expect(answer.body).toMatchObject({
      status: 400,
      response: {
        message: [
          [
            'instance requires property "number"',
            'The body was read as a form, because its Content-Type is "application/x-www-form-urlencoded".',
          ],
        ],
      },
    });
  });

  it('a group operation answers 400 for an invalid body, with a list of objects', async () => {
    const http = await startHttp();
    const answer = await http.call('PUT', '/group/updateParticipant/shop?groupJid=1203630@g.us', {});
    const missing = (name: string) => ({ property: 'instance', message: `instance requires property "${name}"` });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(
      envelope(400, 'Bad Request', [missing('action'), missing('participants')], 'INVALID_REQUEST'),
    );
  });

  it('leaveGroup answers 400 with an example when groupJid is missing', async () => {
    const http = await startHttp();
    const answer = await http.call('DELETE', '/group/leaveGroup/shop');
    const message = ['The group id needs to be informed in the query', 'ex: "groupJid=120362@g.us"'];
    expect(answer.body).toEqual(envelope(400, 'Bad Request', message, 'INVALID_REQUEST'));
  });

  it('sendText answers 400 with certain: true for a number that does not address an account', async () => {
    const http = await startHttp();
    Object.assign(http.instances.get('shop') ?? {}, { session: () => ({ log: { info() {} } }) });
    for (const number of ['nobody', '15551234567,15551234568', 'status@broadcast']) {
      const answer = await http.call('POST', '/message/sendText/shop', { number, textMessage: { text: 'x' } });
      const message = [[expect.stringMatching(/^"number" must /)]];
      expect(answer.body).toEqual(envelope(400, 'Bad Request', message, 'INVALID_REQUEST', { certain: true }));
    }
  });

  it('sendText answers 400 with "Connection Closed" on an instance that is not open', async () => {
    const http = await startHttp();
    const answer = await http.call('POST', '/message/sendText/shop', { number: '1', textMessage: { text: 'x' } });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(
      envelope(400, 'Bad Request', ['Error: Connection Closed'], 'INSTANCE_NOT_OPEN', { certain: true }),
    );
  });

  it('logout answers 400 on an instance that is not connected', async () => {
    const http = await startHttp();
    Object.assign(http.instances.get('shop') ?? {}, { state: 'close' });
    const answer = await http.call('DELETE', '/instance/logout/shop');
    const message = ['The "shop" instance is not connected'];
    expect(answer.body).toEqual(envelope(400, 'Bad Request', message, 'INSTANCE_NOT_CONNECTED'));
  });

  it('an unknown route or method gets a 404 without a key, and its text has the path and the query', async () => {
    const http = await startHttp();
    const apikey = undefined;
    const unknown = await http.call('GET', '/no/such/route?a=1', undefined, { apikey });
    expect(unknown.body).toEqual(envelope(404, 'Not Found', ['Cannot GET /no/such/route?a=1'], 'ROUTE_NOT_FOUND'));
    for (const path of ['/instance/connectionState/', '/instance/connectionState', '/store/media/1']) {
      const { body } = await http.call('GET', path, undefined, { apikey });
      expect(body).toEqual(envelope(404, 'Not Found', [`Cannot GET ${path}`], 'ROUTE_NOT_FOUND'));
    }
    const wrong = await http.call('PATCH', '/message/sendText/shop', {}, { apikey });
    expect(wrong.status).toBe(404);
    expect(wrong.body).toEqual(envelope(404, 'Not Found', ['Cannot PATCH /message/sendText/shop'], 'ROUTE_NOT_FOUND'));
  });

  it('malformed JSON gets a 400 with the code MALFORMED_JSON', async () => {
    const http = await startHttp();
    const answer = await http.call('POST', '/message/sendText/shop', '{"number": tru}');
    expect(answer.status).toBe(400);
    const message = expect.stringMatching(/^Unexpected token .* is not valid JSON$/);
    expect(answer.body).toEqual(envelope(400, 'Bad Request', message, 'MALFORMED_JSON', { certain: true }));
  });

  it('a body larger than BODY_LIMIT gets a 413', async () => {
    const http = await startHttp({ BODY_LIMIT: '1024' });
    const body = { number: '1', textMessage: { text: 'x'.repeat(2000) } };
    const answer = await http.call('POST', '/message/sendText/shop', body);
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual(
      envelope(413, 'Payload Too Large', 'The body is larger than 1024 bytes (setting BODY_LIMIT).', 'BODY_TOO_LARGE', {
        certain: true,
      }),
    );
  });

  it('a body with an unsupported or missing Content-Type gets a 415', async () => {
    const http = await startHttp();
    for (const type of ['text/plain', 'application/xml', undefined]) {
      const answer = await http.call('POST', '/message/sendText/shop', 'hello', { 'content-type': type });
      expect(answer.status, String(type)).toBe(415);
      const received = type ? `not "${type}"` : 'and the request has none';
      expect(answer.body).toMatchObject({
        error: 'Unsupported Media Type',
        code: 'UNSUPPORTED_MEDIA_TYPE',
        response: { message: [expect.stringMatching(new RegExp(`^Content-Type must be .*, ${received}\\.$`))] },
      });
    }
  });

  it('an unexpected error gets a 500 with a constant text, and only the log has the reason', async () => {
    const http = await startHttp();
    Object.assign(http.instances.get('shop') ?? {}, {
      restart: async () => {
        throw new TypeError('the secret of the house');
      },
    });
    const answer = await http.call('PUT', '/instance/restart/shop');
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual(envelope(500, 'Internal Server Error', 'Internal Server Error', 'INTERNAL'));
    expect(http.log.find(({ msg }) => msg === 'request.failed')).toMatchObject({
      level: 50,
      err: { message: 'the secret of the house' },
    });
  });

  it('a request gets a 503 instead of a 401 or 404 until the instances are loaded', async () => {
    const http = await startHttp();
    Object.assign(http.manager, { ready: false });
    for (const apikey of ['some-instance-key', undefined]) {
      const answer = await http.call('GET', '/instance/connectionState/late', undefined, apikey ? { apikey } : {});
      expect(answer.body).toEqual(envelope(503, 'Service Unavailable', 'Service Unavailable', 'STARTING'));
      expect(answer.headers['retry-after']).toBe('1');
    }
  });

  it('a request on an open connection gets a 503 while the gateway stops', async () => {
    const http = await startHttp();
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    Object.assign(http.instances.get('shop') ?? {}, {
      restart: () => {
        started.resolve();
        return finish.promise;
      },
    });
    const stopping = new Promise<void>((resolve) => {
      http.app.addHook('preClose', async () => resolve());
    });
    const { port } = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(port), '127.0.0.1');
    const sendRequest = (method: string, path: string) =>
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\napikey: shop-key\r\n\r\n`);
    sendRequest('PUT', '/instance/restart/shop');
    await started.promise;
    const closed = http.app.close();
    await stopping;
    const arrived = once(http.app.server, 'request');
    sendRequest('GET', '/instance/fetchInstances');
    await arrived;
    finish.resolve();
    const answers = await text(socket);
    await closed;
    expect(answers).toMatch(/^HTTP\/1.1 200/);
    expect(answers).toMatch(/HTTP\/1.1 503 .*connection: close\r\n.*retry-after: 5\r\n.*"code":"SHUTTING_DOWN"/s);
  });
});

describe('error envelope', () => {
  it('every kind of error body matches the schema ErrorBody of the contract', async () => {
    const http = await startHttp();
    for (const [method, path, body] of [
      ['GET', '/nowhere', undefined],
      ['POST', '/message/sendText/shop', {}],
      ['POST', '/message/sendText/shop', '{'],
      ['POST', '/group/create/shop', {}],
      ['GET', '/instance/connectionState/nobody', undefined],
      ['GET', '/instance/connectionState/%zz', undefined],
    ] as const) {
      const answer = await http.call(method, path, body);
      expect(schemaViolations('ErrorBody', answer.body), path).toBeUndefined();
      expect(answer.body).toMatchObject({ status: answer.status });
    }
  });

  it('an error body has the request id of the x-request-id header', async () => {
    const http = await startHttp();
    const answer = await http.call('GET', '/nowhere');
    expect(answer.body).toMatchObject({ requestId: answer.headers['x-request-id'] });
  });
});
