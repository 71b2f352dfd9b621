import { aesDecryptGCM, hkdf, proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { pnJid } from '../src/world/world.ts';
import { client, ownNumber, peer, setUpClient } from './client-setup.ts';

setUpClient();

/** Sends a text from the phone to the client, and resolves with the id and the secret of the message. */
async function receiveText(): Promise<{ id: string; secret: Uint8Array }> {
  const id = await peer.send(ownNumber, { text: 'At nine' });
  const { message } = (await client.message(id)).message;
  return { id, secret: message?.messageContextInfo?.messageSecret ?? new Uint8Array() };
}

interface AddOn {
  encPayload?: Uint8Array | null;
  encIv?: Uint8Array | null;
}

/** Decrypts the phone's add-on to its own message with functions of Baileys. */
function decrypt({ encPayload, encIv }: AddOn, { id, secret }: { id: string; secret: Uint8Array }, useCase: string) {
  const author = pnJid(peer.account);
  const key = hkdf(Buffer.from(secret), 32, { info: `${id}${author}${author}${useCase}` });
  return aesDecryptGCM(encPayload ?? Buffer.alloc(0), key, encIv ?? Buffer.alloc(0), Buffer.alloc(0));
}

describe('encrypted edits and reactions', () => {
  it('an encrypted edit of a phone can be decrypted with the secret of its message', async () => {
    const text = await receiveText();
    const editId = await peer.send(ownNumber, { edit: { id: text.id, text: 'At ten', encrypted: true } });
    const { message } = (await client.message(editId)).message;
    const envelope = message?.secretEncryptedMessage;
    expect(envelope).toMatchObject({ targetMessageKey: { id: text.id, fromMe: true }, secretEncType: 2 });
    expect(proto.Message.decode(decrypt(envelope ?? {}, text, 'Message Edit'))).toMatchObject({
      protocolMessage: { type: 14, key: { id: text.id }, editedMessage: { extendedTextMessage: { text: 'At ten' } } },
    });
    expect(peer.messages().at(-1)).toMatchObject({ kind: 'secretEncrypted', target: text.id });
  });

  it('an encrypted reaction of a phone can be decrypted with the secret of its message', async () => {
    const text = await receiveText();
    const reactionId = await peer.send(ownNumber, { reaction: { id: text.id, emoji: '👍', encrypted: true } });
    const { message } = (await client.message(reactionId)).message;
    const envelope = message?.encReactionMessage;
    expect(envelope).toMatchObject({ targetMessageKey: { id: text.id, fromMe: true } });
    const read = proto.Message.ReactionMessage.decode(decrypt(envelope ?? {}, text, 'Enc Reaction'));
    expect(read).toMatchObject({ text: '👍' });
    expect(read.key).toBeFalsy();
  });

  it('a phone refuses an encrypted edit of a message without a secret', async () => {
    const raw = proto.Message.encode({ conversation: 'x' }).finish();
    const id = await peer.send(ownNumber, { raw });
    await expect(peer.send(ownNumber, { edit: { id, text: 'y', encrypted: true } })).rejects.toThrow('has no secret');
  });
});
