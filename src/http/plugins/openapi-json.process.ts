// The script of a child process: converts the OpenAPI document on standard input from YAML to JSON on standard output.
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';

process.stdout.write(JSON.stringify(parse(await text(process.stdin))));
