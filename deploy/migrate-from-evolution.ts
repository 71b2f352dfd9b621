// Creates the instances of Evolution API 1 or 2 in this gateway, without a connection to WhatsApp and with their webhooks
// disabled. docs/guides/migrate-from-evolution.md has the whole plan.
//
//   node deploy/migrate-from-evolution.ts create           all instances that the gateway does not have
//   node deploy/migrate-from-evolution.ts create shop      only these instances
//   node deploy/migrate-from-evolution.ts enable shop      enables the webhook of an instance that is linked here
//
// Environment: OLD_URL and OLD_KEY (Evolution API, its global key), NEW_URL and NEW_KEY (this gateway, its global key).
// Only reads from Evolution API. Stops at the first error; a second run continues.

type Json = Record<string, unknown>;

const WEBHOOK_FIELDS = {
  byEvents: ['webhookByEvents', 'webhook_by_events'],
  base64: ['webhookBase64', 'webhook_base64'],
} as const;

const SETTINGS = [
  ...['rejectCall', 'msgCall', 'groupsIgnore', 'alwaysOnline', 'readMessages', 'readStatus', 'syncFullHistory'],
  ...['reject_call', 'msg_call', 'groups_ignore', 'always_online', 'read_messages', 'read_status', 'sync_full_history'],
];
const PROXY_FIELDS = ['host', 'port', 'protocol', 'username', 'password'];

interface OldInstance {
  name: string;
  token: string;
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

function environment(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}.`);
  return value;
}

/** Returns a function that sends requests to one server. It throws with status and body for every status but 2xx. */
function createClient(baseUrl: string, key: string) {
  return async (method: string, path: string, body?: Json): Promise<unknown> => {
    const headers = { apikey: key, ...(body && { 'content-type': 'application/json' }) };
    const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
    const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
}

type Client = ReturnType<typeof createClient>;

/** The fields of `from` with these names that have a value. */
const pick = (from: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.filter((name) => from[name] != null).map((name) => [name, from[name]]));

/** Lists the instances of Evolution API 1 (`instance.instanceName`) or 2 (`name`). */
async function listOldInstances(old: Client): Promise<OldInstance[]> {
  const list = await old('GET', '/instance/fetchInstances');
  const instances: OldInstance[] = [];
  for (const item of Array.isArray(list) ? list : [list]) {
    const record = { ...objectOf(item), ...objectOf(objectOf(item).instance) };
    const name = record.name ?? record.instanceName;
    const token = record.token ?? record.apikey;
    if (typeof name !== 'string') throw new Error(`fetchInstances has a record without a name: ${JSON.stringify(item)}`);
    if (typeof record.integration === 'string' && record.integration !== 'WHATSAPP-BAILEYS') {
      console.log(`${name}: skipped, its integration is ${record.integration}`);
      continue;
    }
    if (typeof token !== 'string') {
      throw new Error(`${name}: no key. Set AUTHENTICATION_EXPOSE_IN_FETCH_INSTANCES=true in Evolution API.`);
    }
    instances.push({ name, token });
  }
  return instances;
}

/** Reads the webhook of an instance of Evolution API. Returns undefined when it has no URL. */
async function readWebhook(old: Client, name: string): Promise<Json | undefined> {
  const row = objectOf(await old('GET', `/webhook/find/${encodeURIComponent(name)}`));
  if (typeof row.url !== 'string' || row.url === '') return undefined;
  const options = Object.entries(WEBHOOK_FIELDS).map(([option, names]) => [
    option,
    names.some((field) => row[field] === true),
  ]);
  return { enabled: row.enabled === true, ...pick(row, ['url', 'headers', 'events']), ...Object.fromEntries(options) };
}

async function readProxy(old: Client, name: string): Promise<Json | undefined> {
  const row = objectOf(await old('GET', `/proxy/find/${encodeURIComponent(name)}`));
  const proxy = pick(isObject(row.proxy) ? row.proxy : row, PROXY_FIELDS);
  return row.enabled === true && proxy.host ? proxy : undefined;
}

async function create(old: Client, gateway: Client, instances: readonly OldInstance[]): Promise<void> {
  const existing = await gateway('GET', '/instance/fetchInstances');
  const names = (Array.isArray(existing) ? existing : []).map((item: unknown) => objectOf(item).name);
  for (const { name, token } of instances) {
    if (names.includes(name)) {
      console.log(`${name}: exists already`);
      continue;
    }
    const webhook = await readWebhook(old, name);
    const proxy = await readProxy(old, name);
    const settings = pick(objectOf(await old('GET', `/settings/find/${encodeURIComponent(name)}`)), SETTINGS);
    await gateway('POST', '/instance/create', {
      ...settings,
      instanceName: name,
      token,
      ...(webhook && { webhook: { ...webhook, enabled: false } }),
      ...(proxy && { proxy }),
    });
    console.log(`${name}: created${webhook ? ', webhook disabled' : ', without a webhook'}`);
  }
}

async function enable(old: Client, gateway: Client, instances: readonly OldInstance[]): Promise<void> {
  for (const { name } of instances) {
    const webhook = await readWebhook(old, name);
    if (!webhook?.enabled) {
      console.log(`${name}: has no enabled webhook in Evolution API`);
      continue;
    }
    await gateway('POST', `/webhook/set/${encodeURIComponent(name)}`, { webhook });
    console.log(`${name}: webhook enabled. Disable it in Evolution API now.`);
  }
}

async function main([command = '', ...names]: readonly string[]): Promise<void> {
  const old = createClient(environment('OLD_URL'), environment('OLD_KEY'));
  const gateway = createClient(environment('NEW_URL'), environment('NEW_KEY'));
  const all = await listOldInstances(old);
  const unknown = names.filter((name) => !all.some((instance) => instance.name === name));
  if (unknown.length > 0) throw new Error(`Evolution API has no instance ${unknown.join(', ')}.`);
  const selected = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  if (command === 'create') await create(old, gateway, selected);
  else if (command === 'enable' && names.length > 0) await enable(old, gateway, selected);
  else throw new Error('Usage: node deploy/migrate-from-evolution.ts create [instance …] | enable instance …');
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
