// Answers queries for the address of the media host and an upload token (xmlns `w:m`). Also answers media retries, with
// which a client that could not download a file asks its phone to upload the file again.
import { type BinaryNode, getBinaryNodeChild, proto } from '@whiskeysockets/baileys';
import { encryptRetryReply } from '../crypto/media-cipher.ts';
import { element } from '../lib/binary-node.ts';
import { findAttachment } from '../media/attachments.ts';
import { type MediaHost, TOKEN_LIFETIME } from '../media/media-host.ts';
import type { Services } from '../phone/interfaces.ts';
import { chatOf } from '../world/delivery.ts';
import type { Companion } from '../world/model.ts';
import { pnJid, queueKey } from '../world/world.ts';
import { type IqHandler, requestOf } from './router.ts';

const { ResultType } = proto.MediaRetryNotification;

export function createMediaConnectionHandler(mediaHost: MediaHost): IqHandler {
  return (_companion, iq) => {
    if (requestOf(iq)?.tag !== 'media_conn') return undefined;
    const hosts = [
      element('host', { hostname: mediaHost.hostname, maxContentLengthBytes: String(mediaHost.maxBytes) }),
    ];
    // The lifetimes are in seconds. Baileys ignores `max_buckets`.
    const attrs = {
      auth: mediaHost.createToken(),
      ttl: String(TOKEN_LIFETIME),
      auth_ttl: String(TOKEN_LIFETIME),
      max_buckets: '12',
    };
    return { content: [element('media_conn', attrs, hosts)] };
  };
}

/**
 * Answers a receipt of the type `server-error`. The id of the receipt is the id of the message whose file could not be
 * downloaded, and the child `<rmr>` of the receipt names the chat. The answer contains a new path of the file, or an
 * error when the file is missing.
 */
export function answerMediaRetry({ world, mediaHost, phone }: Services, client: Companion, receipt: BinaryNode): void {
  const { id = '' } = receipt.attrs;
  const rmr = element('rmr', getBinaryNodeChild(receipt, 'rmr')?.attrs);
  const message = phone(client.account).mailbox.find(chatOf(world, rmr.attrs.jid ?? ''), id);
  const file = message && findAttachment(message.content)?.file;
  const encryptedFile = file?.directPath ? mediaHost.read(file.directPath) : undefined;
  const attrs = { id, from: pnJid(client.account), type: 'mediaretry', t: String(world.now()) };
  let answer = element('error', { code: String(ResultType.NOT_FOUND) });
  if (encryptedFile && file?.mediaKey) {
    const { directPath } = mediaHost.store(encryptedFile);
    const reply = proto.MediaRetryNotification.encode({
      stanzaId: id,
      directPath,
      result: ResultType.SUCCESS,
    }).finish();
    const { ciphertext, iv } = encryptRetryReply(file.mediaKey, id, reply);
    answer = element('encrypt', {}, [element('enc_p', {}, ciphertext), element('enc_iv', {}, iv)]);
  }
  world.deliver(client, queueKey('notification', attrs), element('notification', attrs, [rmr, answer]));
}
