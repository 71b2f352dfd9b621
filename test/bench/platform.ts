// The simulated platform in a separate process, as `npm run sandbox -- --platform` runs it, with provisioning of linked
// accounts for the benchmark.
import { BufferJSON } from '@whiskeysockets/baileys';
import { createSandbox } from '../../packages/sandbox/src/sandbox.ts';
import { serve } from './protocol.ts';

console.info = () => undefined;
const sandbox = await createSandbox({ tlsPort: false });

serve(async (request) => {
  switch (request.do) {
    case 'provision':
      return {
        url: sandbox.platformUrl,
        rootKey: sandbox.rootKey.toString('base64'),
        creds: JSON.stringify(sandbox.provision(request.number), BufferJSON.replacer),
      };
    case 'ca':
      return sandbox.caPem;
    case 'scan':
      return sandbox.pairing.scanQr(request.number, request.code);
    case 'inbound':
      return sandbox.phones.phone(request.from).send(request.to, { text: request.text });
    case 'received':
      return sandbox.phones.phone(request.number).receivedCount;
    case 'group': {
      const [creator = '', ...others] = request.members;
      const jids = others.map((number) => `${number}@s.whatsapp.net`);
      return sandbox.groups.create(sandbox.world.account(creator), 'Bench', jids, { addressing: request.mode })[0].id;
    }
    case 'rss':
      return process.memoryUsage().rss / 2 ** 20;
    default:
      throw new Error(`cannot ${request.do}`);
  }
});
