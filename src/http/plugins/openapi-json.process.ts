// A child process that reads the OpenAPI document as YAML from standard input and writes it as JSON to standard output.
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';

process.stdout.write(JSON.stringify(parse(await text(process.stdin))));
