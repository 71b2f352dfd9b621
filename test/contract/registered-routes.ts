// Lists the routes that a running app has, regardless of the contract.
import type { FastifyInstance } from 'fastify';

/** Every route, such as `get /instance/connect/{instance}`. Only the names of parameters have upper case. */
export async function routesOf(app: FastifyInstance): Promise<string[]> {
  await app.ready();
  const routes: string[] = [];
  const stack: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', path = '', methods = ''] = /^([│├└─\s]*)(\S*) \(([A-Z, ]+)\)/.exec(line) ?? [];
    if (methods === '') continue;
    const depth = indent.length / 4;
    stack.length = depth;
    stack.push(path);
    for (const method of methods.split(', '))
      routes.push(`${method.toLowerCase()} ${stack.join('').replaceAll(/:(\w+)/g, '{$1}')}`.replace(/ $/, ' /'));
  }
  return [...new Set(routes)];
}
