// The guided tour that `npm run sandbox` prints: one curl line a step, in an order that works when pasted.

export interface TourPlaces {
  /** Base URL of the gateway. */
  gateway: string;
  /** Base URL of the sandbox controls. */
  control: string;
  /** Global API key. */
  key: string;
}

export interface TourStep {
  says: string;
  command: string;
}

const mine = '15550001001';
const theirs = '15550001002';

function curl(method: string, url: string, body?: object, key?: string): string {
  return [
    'curl -s',
    method === 'GET' ? '' : `-X ${method}`,
    `'${url}'`,
    key ? `-H 'apikey: ${key}'` : '',
    body ? `-H 'content-type: application/json' -d '${JSON.stringify(body)}'` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** The steps, from an empty gateway to a deleted instance. */
export function tour({ gateway, control, key }: TourPlaces): TourStep[] {
  return [
    {
      says: 'create an instance; its events are posted to the inbox of the sandbox',
      command: curl(
        'POST',
        `${gateway}/instance/create`,
        { instanceName: 'demo', qrcode: true, webhook: { url: `${control}/inbox`, events: [] } },
        key,
      ),
    },
    {
      says: `scan its QR code with the phone ${mine}`,
      command: curl('POST', `${control}/phones/${mine}/scan`, { instance: 'demo' }),
    },
    {
      says: 'wait until the instance is open',
      command: curl('GET', `${gateway}/instance/connect/demo`, undefined, key),
    },
    {
      says: `send a text to ${theirs}`,
      command: curl(
        'POST',
        `${gateway}/message/sendText/demo`,
        { number: theirs, textMessage: { text: 'Hello from the gateway' } },
        key,
      ),
    },
    { says: 'read it on that phone', command: curl('GET', `${control}/phones/${theirs}/messages`) },
    {
      says: 'answer from that phone',
      command: curl('POST', `${control}/phones/${theirs}/messages`, { to: mine, text: 'Hello from the phone' }),
    },
    {
      says: 'see the answer arrive at the webhook',
      command: curl('GET', `${control}/inbox?event=messages.upsert`),
    },
    { says: 'unlink the instance', command: curl('DELETE', `${gateway}/instance/logout/demo`, undefined, key) },
    { says: 'remove it', command: curl('DELETE', `${gateway}/instance/delete/demo`, undefined, key) },
  ];
}
