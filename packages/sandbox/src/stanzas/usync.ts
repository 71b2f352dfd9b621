// xmlns `usync`: whether numbers are on the platform, their LIDs, devices and profiles.
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild, jidDecode } from '@whiskeysockets/baileys';
import { formOf } from '../delivery.ts';
import { createKeyIndexListNode } from '../device-list.ts';
import type { Devices } from '../devices.ts';
import type { Account, Companion, World } from '../model.ts';
import { element, textOf } from '../node.ts';
import { lidJid } from '../world.ts';
import { type IqHandler, requestOf } from './router.ts';

interface QueriedUser {
  /** As the answer names the user. */
  jid: string;
  account: Account | undefined;
  /** What the client wrote to find the user, when it was not an address; it is returned in the response. */
  text: string;
}

/** Answers one protocol for one user; undefined leaves the element out. */
type Protocol = (asked: QueriedUser, companion: Companion) => BinaryNode | undefined;

export function createUsync(world: World, devices: Devices): IqHandler {
  const protocols: Readonly<Record<string, Protocol>> = {
    contact: ({ account, text }) => element('contact', { type: account ? 'in' : 'out' }, text || undefined),
    // No account is a business or has a user name.
    business: () => undefined,
    username: () => undefined,
    picture: ({ account }, { account: asking }) =>
      account?.picture && maySee(account, asking, 'profile')
        ? element('picture', { id: account.picture.id, type: 'image' })
        : undefined,
    // Only for phone numbers: clients distrust a mapping from LID to LID.
    lid: ({ jid, account }) =>
      account && jidDecode(jid)?.server === 's.whatsapp.net' ? element('lid', { val: lidJid(account) }) : undefined,
    devices: ({ jid, account }, companion) => {
      if (!account) return undefined;
      devices.watch(account, companion, formOf(jid));
      return deviceList(account, world.now());
    },
    status: ({ account }, { account: asking }) => {
      if (!account) return undefined;
      if (!maySee(account, asking, 'status')) return element('status', { code: '401', type: 'fail' });
      return element('status', { t: String(account.statusAt) }, account.statusText);
    },
    disappearing_mode: ({ account }) =>
      account &&
      element('disappearing_mode', {
        duration: String(account.disappearing.duration),
        t: String(account.disappearing.at),
      }),
  };

  function identify(user: BinaryNode): QueriedUser {
    const text = textOf(getBinaryNodeChild(user, 'contact'));
    // Some clients write +number, others +number@c.us.
    const [phone = ''] = text.replace(/^\+/, '').split('@', 1);
    const jid = user.attrs.jid ?? `${phone}@s.whatsapp.net`;
    return { jid, account: world.byJid(jid), text };
  }

  return (companion, iq) => {
    const usync = requestOf(iq);
    const wanted = getAllBinaryNodeChildren(getBinaryNodeChild(usync, 'query') ?? iq).map(({ tag }) => tag);
    if (usync?.tag !== 'usync' || !wanted.every((tag) => Object.hasOwn(protocols, tag))) return undefined;
    const users = getAllBinaryNodeChildren(getBinaryNodeChild(usync, 'list') ?? iq)
      .map(identify)
      .map((asked) => {
        const answers = wanted.map((tag) => protocols[tag]?.(asked, companion));
        return element(
          'user',
          { jid: asked.jid },
          answers.filter((answer) => answer !== undefined),
        );
      });
    const { sid, mode, context } = usync.attrs;
    const result = element(
      'result',
      {},
      wanted.map((tag) => element(tag)),
    );
    return {
      content: [
        element('usync', { sid, mode, context, last: 'true', index: '0' }, [result, element('list', {}, users)]),
      ],
    };
  };
}

/** Device 0 and the companions; a companion without key index would be ignored. */
function deviceList(account: Account, now: number): BinaryNode {
  const linked = Array.from(account.companions.values(), ({ device, keyIndex }) =>
    element('device', { id: String(device), 'key-index': String(keyIndex) }),
  );
  return element('devices', {}, [
    element('device-list', {}, [element('device', { id: '0' }), ...linked]),
    createKeyIndexListNode(account, now),
  ]);
}

/** Whether `asking` may see what `category` of the account's privacy protects. Accounts here have no address book. */
export function maySee(account: Account, asking: Account, category: string): boolean {
  if (account === asking) return true;
  return account.privacy.get(category) !== 'none' && !account.blocked.has(asking.number);
}
