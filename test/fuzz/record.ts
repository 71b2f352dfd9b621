// Writes the corpus: `node test/fuzz/record.ts`. Runs a gateway with the sandbox, sends all kinds of messages from
// phones and most requests of the contract. Keeps one stanza of each form that the platform sent, and the contents of
// the messages.
import { writeFileSync } from 'node:fs';
import { proto } from '@whiskeysockets/baileys';
import { ClientConnection } from '../../packages/sandbox/src/wire/connection.ts';
import { exampleOf, jsonSchema, operations } from '../support/openapi-document.ts';
import { type NodeJson, toJson } from './corpus.ts';
import { createStage, type Stage } from './stage.ts';

/** Maximum size of a recorded stanza or content. Larger ones have no additional value for the fuzzer. */
const MAX_BYTES = 6_000;

const stanzas = new Map<string, NodeJson>();

/** The form of a stanza: the names of its tags and attributes, and the values of `type` and `xmlns`. */
function formOf({ tag, attrs, content }: NodeJson, depth = 0): string {
  const children =
    Array.isArray(content) && depth < 3
      ? [...new Set(content.map((child) => formOf(child, depth + 1)))].slice(0, 4)
      : typeof content;
  return `${tag}[${Object.keys(attrs).sort()}|${attrs.type ?? ''}|${attrs.xmlns ?? ''}](${children})`;
}

const { send } = ClientConnection.prototype;
ClientConnection.prototype.send = function record(node) {
  const json = toJson(node);
  if (JSON.stringify(json).length < MAX_BYTES && !stanzas.has(formOf(json))) stanzas.set(formOf(json), json);
  send.call(this, node);
};

async function sendFromPhones({ sandbox, targetsOf, names }: Stage): Promise<void> {
  const [firstNumber, secondNumber] = targetsOf('message').map(({ number }) => number);
  const [ada, bob] = names.phones;
  if (!firstNumber || !secondNumber || !ada || !bob) throw new Error('too few');
  const { phones } = sandbox;
  const phone = phones.phone(ada);
  const bytes = Buffer.from('file');
  for (const to of [firstNumber, names.groups[0] ?? '']) {
    const id = await phone.send(to, { text: 'see https://a.example/x', mentions: [firstNumber] });
    await phone.send(to, { text: 'answer', quoted: id });
    await phone.send(to, { reaction: { id, emoji: '👍' } });
    await phone.send(to, { edit: { id, text: 'edited' } });
    await phone.send(to, { pin: { id, seconds: 86_400 } });
    for (const kind of ['image', 'video', 'audio', 'document', 'sticker'] as const)
      await phone.send(to, { media: { kind, bytes, caption: 'c', fileName: 'f.pdf' } });
    await phone.send(to, { media: { kind: 'image', bytes, viewOnce: true } });
    await phone.send(to, { location: { latitude: 1, longitude: 2, name: 'Here', address: 'There' } });
    await phone.send(to, { contact: { name: 'Bob', number: bob } });
    const poll = await phone.send(to, { poll: { name: 'Which?', options: ['a', 'b'] } });
    await phone.send(to, { vote: { id: poll, options: ['a'] } });
    await phone.send(to, { delete: { id } });
    await phone.send(to, { ephemeral: 86_400 });
    await phone.send(to, { text: 'ephemeral' });
    phone.setTyping(to, 'composing');
    phone.read(to);
  }
  await phone.send(secondNumber, { text: 'by LID' }, { addressing: 'lid' });
  await phones.phone(firstNumber).send(ada, { text: 'mine' });
  phones.phone(firstNumber).read(ada);
  phones.channelMessages.post(sandbox.world.account(ada), sandbox.channels.get(names.channels[0] ?? ''), {
    text: 'post',
  });
  const call = phones.calls.ring(ada, firstNumber, { video: true });
  phones.calls.end(call.id);
  phone.setPresence('available');
  const group = sandbox.groups.get(names.groups[0] ?? '');
  const account = sandbox.world.account(ada);
  if (!group) return;
  sandbox.groups.setSubject(group, account, 'New subject');
  sandbox.groups.change(group, account, 'promote', [`${bob}@s.whatsapp.net`]);
  sandbox.groups.change(group, account, 'demote', [`${bob}@s.whatsapp.net`]);
  sandbox.groups.change(group, account, 'remove', [`${bob}@s.whatsapp.net`]);
  sandbox.groups.add(group, account, [`${bob}@s.whatsapp.net`]);
}

/** Calls each operation once with the example of the contract, except those that would disturb the recording. */
async function callOperations({ api, targetsOf, names }: Stage): Promise<void> {
  const [{ name } = { name: '' }] = targetsOf('request');
  const [group = ''] = names.groups;
  for (const { method, path, operation } of operations) {
    if (/logout|delete|restart|proxy|settings|events|log/i.test(path)) continue;
    const example = exampleOf(jsonSchema(operation.requestBody));
    const text = JSON.stringify(example)
      ?.replaceAll(/\d{8,15}(@s\.whatsapp\.net)?"/g, `${names.phones[0]}"`)
      .replaceAll(/\d+@g\.us/g, group);
    const query = `groupJid=${group}&remoteJid=${names.phones[0]}@s.whatsapp.net`;
    const url = `${path.replace('{instance}', name).replace(/\{\w+\}/, 'x')}?${query}`;
    const isRead = method === 'get';
    await api(method.toUpperCase(), url, isRead || text === undefined ? undefined : JSON.parse(text)).catch(
      () => undefined,
    );
  }
}

const stage = await createStage({ message: 2, stanza: 0, request: 1, bystander: 0 });
await stage.renew();
await sendFromPhones(stage);
await callOperations(stage);
// Receipts, retries and synchronizations follow, and no event reports the last one.
await new Promise((resolve) => setTimeout(resolve, 5_000));
const contents = new Map<string, string>();
for (const number of [...stage.names.phones, ...stage.names.numbers]) {
  for (const { content } of stage.sandbox.phones.phone(number).mailbox.all()) {
    const bytes = proto.Message.encode(content).finish();
    const form = Object.entries(content)
      .map(([key, value]) => `${key}:${Object.keys(Object(value))}`)
      .join();
    if (bytes.length < MAX_BYTES) contents.set(form, Buffer.from(bytes).toString('base64'));
  }
}
const writeCorpus = (name: string, items: unknown[]) =>
  writeFileSync(
    new URL(`./corpus/${name}.json`, import.meta.url),
    `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]\n`,
  );
writeCorpus('stanzas', [...stanzas.values()]);
writeCorpus('contents', [...contents.values()]);
process.stdout.write(`${stanzas.size} stanzas, ${contents.size} contents\n`);
await stage.close();
process.exit(0);
