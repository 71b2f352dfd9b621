// The protobuf form of Signal records (LocalStorageProtocol), and of the fingerprint of an app state key, which lists
// the indexes of devices. whatsmeow stores Signal records as JSON, and its forks store them as protobuf. The fields of
// the records have the names of the JSON form, so that the same code reads both forms.
import protobuf from 'protobufjs';

const DEFINITION = `
  syntax = "proto2";

  message ChainKey { optional uint32 Index = 1; optional bytes Key = 2; }

  message MessageKey {
    optional uint32 Index = 1;
    optional bytes CipherKey = 2;
    optional bytes MacKey = 3;
    optional bytes IV = 4;
  }

  message Chain {
    optional bytes SenderRatchetKeyPublic = 1;
    optional bytes SenderRatchetKeyPrivate = 2;
    optional ChainKey ChainKey = 3;
    repeated MessageKey MessageKeys = 4;
  }

  message PendingPreKey {
    optional uint32 PreKeyID = 1;
    optional bytes BaseKey = 2;
    optional int32 SignedPreKeyID = 3;
  }

  message State {
    optional uint32 SessionVersion = 1;
    optional bytes LocalIdentityPublic = 2;
    optional bytes RemoteIdentityPublic = 3;
    optional bytes RootKey = 4;
    optional uint32 PreviousCounter = 5;
    optional Chain SenderChain = 6;
    repeated Chain ReceiverChains = 7;
    optional PendingPreKey PendingPreKey = 9;
    optional uint32 RemoteRegistrationID = 10;
    optional uint32 LocalRegistrationID = 11;
    optional bytes SenderBaseKey = 13;
  }

  message SessionRecord { optional State SessionState = 1; repeated State PreviousStates = 2; }

  message SenderChainKey { optional uint32 Iteration = 1; optional bytes ChainKey = 2; }
  message SenderMessageKey { optional uint32 Iteration = 1; optional bytes Seed = 2; }
  message SenderSigningKey { optional bytes Public = 1; optional bytes Private = 2; }

  message SenderKeyState {
    optional uint32 KeyID = 1;
    optional SenderChainKey SenderChainKey = 2;
    optional SenderSigningKey SigningKey = 3;
    repeated SenderMessageKey Keys = 4;
  }

  message SenderKeyRecord { repeated SenderKeyState SenderKeyStates = 1; }

  message Fingerprint {
    optional uint32 rawId = 1;
    optional uint32 currentIndex = 2;
    repeated uint32 deviceIndexes = 3 [packed = true];
  }
`;

const { root } = protobuf.parse(DEFINITION, { keepCase: true });

export type StructureName = 'SessionRecord' | 'SenderKeyRecord' | 'Fingerprint';

/** Decodes protobuf. Absent fields have no property. Throws an Error when the bytes are not valid protobuf. */
export function decodeStructure(name: StructureName, bytes: Uint8Array): Record<string, unknown> {
  const type = root.lookupType(name);
  return type.toObject(type.decode(bytes));
}

/** Encodes protobuf. */
export function encodeStructure(name: StructureName, fields: Record<string, unknown>): Buffer {
  return Buffer.from(root.lookupType(name).encode(fields).finish());
}
