// A worker thread that parses the contract (YAML) and posts it as JSON text. Parsing on the main thread would block all
// other requests.
import { parentPort, workerData } from 'node:worker_threads';
import { parse } from 'yaml';

parentPort?.postMessage(JSON.stringify(parse(workerData)));
