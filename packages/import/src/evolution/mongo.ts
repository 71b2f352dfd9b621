// Reads the two databases of Evolution API 1 in MongoDB. `<prefix>-instances` has the credentials and keys, with a
// collection for each instance. `<prefix>-whatsapp-api` has the settings. The tests run against a simulated server that
// speaks MongoDB's protocol. This code has never run against MongoDB itself.
import { type Document, MongoClient } from 'mongodb';
import { MAX_VALUE_SIZE } from '../../../../src/session-bundle/baileys-values.ts';
import { ArgumentError } from '../lib/argument-error.ts';

const INSTANCES_SUFFIX = '-instances';
const SETTINGS_SUFFIX = '-whatsapp-api';
/** Maximum wait until a server answers. */
const TIMEOUT_MS = 15_000;
const MAX_COLLECTIONS = 10_000;
const MAX_DOCUMENTS = 100_000;

export interface MongoReader {
  /** Host and database for titles and error texts, without user and password. */
  readonly address: string;
  /** Names of the collections with sessions, sorted. */
  listInstances(): Promise<string[]>;
  /** The ids of all documents of a session. */
  listIds(instance: string): Promise<string[]>;
  /** One document of a session, converted to values of JSON, without its id. Undefined when it does not exist. */
  readDocument(instance: string, id: string): Promise<unknown>;
  /** All documents of a session. */
  readDocuments(instance: string): AsyncIterable<{ id: string; value: unknown }>;
  /** The document of an instance in a collection of settings, such as `webhook`. */
  readSettings(collection: string, instance: string): Promise<Record<string, unknown> | undefined>;
  close(): Promise<void>;
}

// Error codes of MongoDB.
const UNAUTHORIZED = 13;
const AUTHENTICATION_FAILED = 18;

interface StoredDocument extends Document {
  _id: string;
}

/** The Error for the operator. Messages of the driver are left out: they can contain the URL with its password. */
function describeFailure(error: unknown, host: string): Error {
  const name = error instanceof Error ? error.name : '';
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (name === 'MongoServerSelectionError') return new Error(`No MongoDB server answers at ${host}.`);
  if (code === AUTHENTICATION_FAILED) return new Error(`MongoDB at ${host} refuses the user or the password.`);
  if (code === UNAUTHORIZED) return new Error(`The user has no permission to read MongoDB at ${host}.`);
  return new Error(`The connection to MongoDB at ${host} failed${name === '' ? '' : ` (${name})`}.`);
}

/**
 * Removes the id of a document, and converts types of MongoDB, such as long integers, to values of JSON. `what` names
 * the document in error texts.
 */
function toJsonValue({ _id: _, ...value }: Document, what: string): unknown {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > MAX_VALUE_SIZE)
    throw new Error(`${what} is larger than ${MAX_VALUE_SIZE / 2 ** 20} MiB.`);
  return JSON.parse(text);
}

/**
 * The hosts of a URL, for titles and error texts. The hosts start after the last "@", because a password may contain
 * "@" and "/" without encoding. Throws an ArgumentError when the text is no MongoDB URL.
 */
function hostsOf(text: string): string {
  const [, hosts] = /^mongodb(?:\+srv)?:\/\/(?:.*@)?([^/?@]+)/s.exec(text) ?? [];
  if (hosts === undefined) {
    throw new ArgumentError('--mongo is not an address such as mongodb://user:password@127.0.0.1:27017.');
  }
  return hosts;
}

/**
 * Connects to the server of a `mongodb://` URL (DATABASE_CONNECTION_URI of version 1). Rejects with an ArgumentError
 * for a malformed URL, and with an Error for the operator when the server does not answer, refuses the user, or has no
 * database or several databases of Evolution API.
 */
export async function openMongo(text: string): Promise<MongoReader> {
  const host = hostsOf(text);
  let client: MongoClient;
  try {
    // A timeout in the URL has priority.
    const timeout = /[?&]serverSelectionTimeoutMS=/i.test(text) ? {} : { serverSelectionTimeoutMS: TIMEOUT_MS };
    client = new MongoClient(text, { ...timeout, appName: 'messaging-gateway-import' });
  } catch {
    throw new ArgumentError(
      `--mongo: the address of ${host} is malformed. Encode "@", "/", ":" and "%" in the password.`,
    );
  }
  const run = async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      throw describeFailure(error, host);
    }
  };
  try {
    const prefix = findPrefix(await run(() => listDatabases(client)), host);
    return createReader(client, { prefix, host, run });
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function listDatabases(client: MongoClient): Promise<string[]> {
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  return databases.map(({ name }) => name);
}

/** Finds the prefix (DATABASE_CONNECTION_DB_PREFIX_NAME of Evolution API) in the names of the databases. */
function findPrefix(names: readonly string[], host: string): string {
  const found = names.filter((name) => name.endsWith(INSTANCES_SUFFIX));
  const [name] = found;
  if (name === undefined) {
    throw new Error(
      `MongoDB at ${host} has no database such as evolution${INSTANCES_SUFFIX}: DATABASE_SAVE_DATA_INSTANCE.`,
    );
  }
  if (found.length > 1) {
    throw new Error(
      `MongoDB at ${host} has several databases of Evolution API: ${found.join(', ')}. Restore one only.`,
    );
  }
  return name.slice(0, -INSTANCES_SUFFIX.length);
}

interface Connection {
  /** The prefix of the names of both databases. */
  prefix: string;
  host: string;
  /** Runs `read`, and converts an error of the driver to an Error for the operator. */
  run<T>(read: () => Promise<T>): Promise<T>;
}

function createReader(client: MongoClient, { prefix, host, run }: Connection): MongoReader {
  const instances = client.db(`${prefix}${INSTANCES_SUFFIX}`);
  const settings = client.db(`${prefix}${SETTINGS_SUFFIX}`);
  const label = (instance: string, id: string) => `The document ${id} of the instance ${instance} in MongoDB`;
  return {
    address: `${host}/${prefix}${INSTANCES_SUFFIX}`,
    async listInstances() {
      const collections = await run(() => instances.listCollections({}, { nameOnly: true }).toArray());
      if (collections.length > MAX_COLLECTIONS) throw new Error(`MongoDB has over ${MAX_COLLECTIONS} instances.`);
      return collections.map(({ name }) => name).sort();
    },
    async listIds(instance) {
      const find = instances.collection<StoredDocument>(instance).find({}, { projection: { _id: 1 } });
      const documents = await run(() => find.limit(MAX_DOCUMENTS + 1).toArray());
      if (documents.length > MAX_DOCUMENTS) throw new Error(`${instance} has over ${MAX_DOCUMENTS} documents.`);
      return documents.map(({ _id }) => String(_id));
    },
    async readDocument(instance, id) {
      const document = await run(() => instances.collection<StoredDocument>(instance).findOne({ _id: id }));
      return document ? toJsonValue(document, label(instance, id)) : undefined;
    },
    async *readDocuments(instance) {
      const cursor = instances.collection<StoredDocument>(instance).find({}).limit(MAX_DOCUMENTS);
      try {
        for (;;) {
          const document = await run(() => cursor.next());
          if (!document) return;
          const id = String(document._id);
          yield { id, value: toJsonValue(document, label(instance, id)) };
        }
      } finally {
        await cursor.close();
      }
    },
    async readSettings(collection, instance) {
      const document = await run(() => settings.collection<StoredDocument>(collection).findOne({ _id: instance }));
      return document ? { ...document } : undefined;
    },
    close: () => client.close(),
  };
}
