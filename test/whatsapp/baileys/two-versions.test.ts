import { proto } from '@whiskeysockets/baileys';
import { proto as olderProto } from 'baileys-6';
import { expect, it } from 'vitest';

// Both versions register their messages in protobufjs. If they shared one copy of protobufjs, the version that is
// loaded last would replace the messages of the other version in every test of the same worker.
it('Baileys 6, which tests use beside Baileys 7, has its own message classes', () => {
  const key = proto.Message.AppStateSyncKeyData.decode(new Uint8Array());
  expect(key).toBeInstanceOf(proto.Message.AppStateSyncKeyData);
  expect(key).not.toBeInstanceOf(olderProto.Message.AppStateSyncKeyData);
  expect(olderProto.Message).not.toBe(proto.Message);
});
