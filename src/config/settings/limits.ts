// Settings of limits that protect the process: load, connections, sizes and times of requests.
import { type DeclaredSettings, integer } from './declare.ts';

export const LIMITS = {
  OVERLOAD_DELAY: integer(1000, {
    help: 'Mean event-loop delay above which requests get 503. 0: never.',
    unit: 'ms',
    whenToChange: 'Lower it when clients should go to another node sooner.',
  }),
  OVERLOAD_SEND_TIME: integer(500, {
    help: 'Estimated duration of a send above which sends get 503 while the process is busy. 0: never.',
    unit: 'ms',
    whenToChange: 'Raise it when many sends at once may take longer instead of being repeated by their clients.',
  }),
  OVERLOAD_MEMORY: integer(0, {
    help: 'Memory of the process above which requests get 503. 0: 90 % of the memory limit of the container, if it has one.',
    unit: 'MiB',
    whenToChange: 'Set it when the process has no container limit and shares the machine with other programs.',
  }),
  OVERLOAD_BODIES: integer(0, {
    help: 'Total size of the request bodies and uploaded files in progress above which further large ones get 503. One instance gets half of what the others leave. 0: a quarter of the memory that the process may use, 512 MiB at most. Minimum: 2 × (`BODY_LIMIT` + `MEDIA_LIMIT`).',
    unit: 'MiB',
    whenToChange: 'Raise it when many large files are sent at once and the process has the memory and the disk.',
  }),
  MAX_CONNECTIONS: integer(10_000, {
    help: 'Maximum number of simultaneous client connections. Further ones are closed. 0: no limit.',
    unit: 'count',
    whenToChange: 'Lower it when the process may open fewer files than that.',
  }),
  REQUEST_TIMEOUT: integer(60_000, {
    help: 'Time that a client may take to send a request. A slower one gets 408.',
    unit: 'ms',
    minimum: 1,
    whenToChange: 'Raise it for clients that upload files over slow connections.',
  }),
  BODY_LIMIT: integer(24 * 1024 * 1024, {
    help: 'Maximum size of a request body that may contain a base64 file. A larger one gets 413.',
    unit: 'bytes',
    minimum: 1024,
    whenToChange: 'Raise it with `MEDIA_LIMIT`: base64 makes a file a third larger.',
  }),
  JSON_LIMIT: integer(1024 * 1024, {
    help: 'Maximum size of all other request bodies. A larger one gets 413. `BODY_LIMIT` applies when it is lower.',
    unit: 'bytes',
    minimum: 1024,
    whenToChange: 'Raise it when a client sends long lists.',
  }),
  SESSION_BUNDLE_LIMIT: integer(64 * 1024 * 1024, {
    help: 'Maximum size of the body of `POST /instance/import`. A larger one gets 413.',
    unit: 'bytes',
    minimum: 1024,
    whenToChange:
      'Raise it when a session has very many contacts. Reading an encrypted bundle takes about twenty times its size in memory.',
  }),
  SHUTDOWN_TIMEOUT: integer(45_000, {
    help: 'Time that a shutdown may take.',
    unit: 'ms',
    minimum: 1,
    whenToChange: 'Keep it below the grace period of the container platform, and lower it when that is shorter.',
  }),
} satisfies DeclaredSettings;
