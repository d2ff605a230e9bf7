import { execFileSync } from 'node:child_process';

/**
 * What does not fit the schemas of cert-manager, a line an object, and nothing for objects that fit. The models are
 * ECMAScript modules, which the test runner does not load: Node does.
 */
export function schemaErrors(objects: readonly object[]): string[] {
  const program = `
    import * as models from '@kubernetes-models/cert-manager/cert-manager.io/v1';
    import { readFileSync } from 'node:fs';
    const errors = JSON.parse(readFileSync(0, 'utf8')).map((object) => {
      try {
        new models[object.kind](object).validate();
        return [];
      } catch (error) {
        return [object.kind + ': ' + error.message];
      }
    });
    console.log(JSON.stringify(errors.flat()));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    input: JSON.stringify(objects),
    encoding: 'utf8',
  });
  return JSON.parse(output) as string[];
}
