// The suite imports fs.globSync, which Node has since version 22, for a command that is not used
// here. On an older Node this module stands in for fs when the suite imports fs. Node 18 has no
// global File either.
import fs from 'node:fs';
import { File } from 'node:buffer';
import { register } from 'node:module';

globalThis.File ??= File;

if (!fs.globSync) {
  const url = (source) => 'data:text/javascript,' + encodeURIComponent(source);
  const standIn = url(`
    export * from 'node:fs';
    export { default } from 'node:fs';
    export function globSync() { throw new Error('fs.globSync needs Node 22'); }
  `);
  register(url(`
    export function resolve(name, context, next) {
      const suite = context.parentURL?.includes('/@modelcontextprotocol/conformance/');
      return name === 'fs' && suite ? { url: ${JSON.stringify(standIn)}, shortCircuit: true } : next(name, context);
    }
  `));
}
