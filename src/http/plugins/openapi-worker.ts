// A worker thread that parses the contract (YAML) and posts it as JSON text. Parsing on the main thread blocks every
// other request.
import { parentPort, workerData } from 'node:worker_threads';
import { parse } from 'yaml';

parentPort?.postMessage(JSON.stringify(parse(workerData)));
