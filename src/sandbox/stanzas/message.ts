// `<message>` from a client: every encrypted copy goes to the device it was made for, a phone or another real client.
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, jidDecode } from '@whiskeysockets/baileys';
import type { Faults } from '../faults.ts';
import type { Companion, StanzaHandler } from '../model.ts';
import { element, SERVER } from '../node.ts';
import { addressing, deliverMessage, type Exchange, formOf } from '../post.ts';

interface Copy {
  /** JID of the device it was encrypted for. */
  to: string;
  enc: BinaryNode;
  type: 'pkmsg' | 'msg';
  ciphertext: Uint8Array;
}

/** What the platform answers to a stanza that it cannot make sense of. */
const MALFORMED = '479';

/** Attributes that travel from the sender's stanza to the receiver's. */
const CARRIED = ['type', 'edit', 'category', 'push_priority'] as const;

/** Acknowledges first, like the platform: the ack says that the message was taken, receipts say what became of it. */
export function createMessageHandler(exchange: Exchange, faults: Faults): StanzaHandler {
  return async (connection, node) => {
    const sender = connection.companion;
    const { id, to = '' } = node.attrs;
    if (!sender || !id) return false;
    const address = jidDecode(to);
    if (address && address.server !== 's.whatsapp.net' && address.server !== 'lid') return false;
    const copies = address && readCopies(node);
    const error = copies ? faults.take('nack', sender.account.number)?.code?.toString() : MALFORMED;
    const attrs = { class: 'message', id, from: to || SERVER, t: String(exchange.world.now()), error };
    connection.send(element('ack', attrs));
    if (error || !copies) return true;
    for (const copy of copies) await hand(exchange, sender, node, copy);
    return true;
  };
}

/** The copies in a stanza; undefined when there are none or one is unreadable. Peer and resent messages carry theirs bare. */
function readCopies(node: BinaryNode): Copy[] | undefined {
  const participants = getBinaryNodeChild(node, 'participants');
  const addressed = participants
    ? getBinaryNodeChildren(participants, 'to').map((to) => ({ to: to.attrs.jid, enc: getBinaryNodeChild(to, 'enc') }))
    : [{ to: node.attrs.participant ?? node.attrs.to, enc: getBinaryNodeChild(node, 'enc') }];
  const copies: Copy[] = [];
  for (const { to, enc } of addressed) {
    const type = enc?.attrs.type;
    if (!to || !enc || !(enc.content instanceof Uint8Array) || (type !== 'pkmsg' && type !== 'msg')) return undefined;
    copies.push({ to, enc, type, ciphertext: enc.content });
  }
  return copies.length > 0 ? copies : undefined;
}

/** Copies for numbers or devices that do not exist vanish, as on the platform. */
async function hand(exchange: Exchange, sender: Companion, node: BinaryNode, copy: Copy): Promise<void> {
  const { world } = exchange;
  const account = world.byJid(copy.to);
  if (!account || account.blocked.has(sender.account.number)) return;
  const device = jidDecode(copy.to)?.device ?? 0;
  if (device === 0) {
    const { id = '', to = '', recipient = to, category } = node.attrs;
    return exchange.phone(account).receive({ sender, id, to: recipient, isPeer: category === 'peer' }, copy);
  }
  const companion = account.companions.get(device);
  if (companion) forward(exchange, sender, companion, node, copy);
}

function forward({ world }: Exchange, sender: Companion, to: Companion, node: BinaryNode, { enc }: Copy): void {
  const { account, device } = sender;
  const jid = node.attrs.recipient ?? node.attrs.to ?? '';
  const chat = to.account === account ? { jid, account: world.byJid(jid) } : undefined;
  const address = addressing({ account, device, form: formOf(jid) }, chat);
  const carried = Object.fromEntries(CARRIED.map((name) => [name, node.attrs[name]]));
  const identity = getBinaryNodeChild(node, 'device-identity');
  const attrs = { id: node.attrs.id, ...address, ...carried, notify: account.name };
  deliverMessage(world, to, attrs, identity ? [enc, identity] : [enc]);
}
