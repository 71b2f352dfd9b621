import { aesDecryptGCM, hkdf, proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { pnJid } from '../src/world/world.ts';
import { client, mine, onStage, peer } from './client-stage.ts';

onStage();

/** A text of the phone at the client: its id and its secret. */
async function receiveText(): Promise<{ id: string; secret: Uint8Array }> {
  const id = await peer.send(mine, { text: 'At nine' });
  const { message } = (await client.message(id)).message;
  return { id, secret: message?.messageContextInfo?.messageSecret ?? new Uint8Array() };
}

interface AddOn {
  encPayload?: Uint8Array | null;
  encIv?: Uint8Array | null;
}

/** Decrypts an add-on of the phone to its own message, with functions of Baileys. */
function decrypt({ encPayload, encIv }: AddOn, { id, secret }: { id: string; secret: Uint8Array }, useCase: string) {
  const author = pnJid(peer.account);
  const key = hkdf(Buffer.from(secret), 32, { info: `${id}${author}${author}${useCase}` });
  return aesDecryptGCM(encPayload ?? Buffer.alloc(0), key, encIv ?? Buffer.alloc(0), Buffer.alloc(0));
}

describe('encrypted', () => {
  it('edits of a phone can be decrypted with the secret of their message', async () => {
    const text = await receiveText();
    const editId = await peer.send(mine, { edit: { id: text.id, text: 'At ten', encrypted: true } });
    const { message } = (await client.message(editId)).message;
    const envelope = message?.secretEncryptedMessage;
    expect(envelope).toMatchObject({ targetMessageKey: { id: text.id, fromMe: true }, secretEncType: 2 });
    expect(proto.Message.decode(decrypt(envelope ?? {}, text, 'Message Edit'))).toMatchObject({
      protocolMessage: { type: 14, key: { id: text.id }, editedMessage: { extendedTextMessage: { text: 'At ten' } } },
    });
    expect(peer.messages().at(-1)).toMatchObject({ kind: 'secretEncrypted', target: text.id });
  });

  it('reactions of a phone can be decrypted with the secret of their message', async () => {
    const text = await receiveText();
    const reactionId = await peer.send(mine, { reaction: { id: text.id, emoji: '👍', encrypted: true } });
    const { message } = (await client.message(reactionId)).message;
    const envelope = message?.encReactionMessage;
    expect(envelope).toMatchObject({ targetMessageKey: { id: text.id, fromMe: true } });
    const read = proto.Message.ReactionMessage.decode(decrypt(envelope ?? {}, text, 'Enc Reaction'));
    expect(read).toMatchObject({ text: '👍' });
    expect(read.key).toBeFalsy();
  });

  it('edits are refused for messages without a secret', async () => {
    const raw = proto.Message.encode({ conversation: 'x' }).finish();
    const id = await peer.send(mine, { raw });
    await expect(peer.send(mine, { edit: { id, text: 'y', encrypted: true } })).rejects.toThrow('has no secret');
  });
});
