// The routes that a running app really has, also without the contract.
import type { FastifyInstance } from 'fastify';

/** `get /instance/connect/{instance}` for every route, in lower case but for the names of parameters. */
export async function routesOf(app: FastifyInstance): Promise<string[]> {
  await app.ready();
  const found: string[] = [];
  const stack: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', path = '', methods = ''] = /^([│├└─\s]*)(\S*) \(([A-Z, ]+)\)/.exec(line) ?? [];
    if (methods === '') continue;
    const depth = indent.length / 4;
    stack.length = depth;
    stack.push(path);
    for (const method of methods.split(', '))
      found.push(`${method.toLowerCase()} ${stack.join('').replaceAll(/:(\w+)/g, '{$1}')}`.replace(/ $/, ' /'));
  }
  return [...new Set(found)];
}
