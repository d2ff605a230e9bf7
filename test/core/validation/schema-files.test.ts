import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { schemaFiles } from './schema-files';

const folder = resolve(__dirname, '../../../schemas');

test.each(Object.entries(schemaFiles()))('schemas/%s is what write-schemas.ts writes', (name, content) => {
  expect(JSON.parse(readFileSync(join(folder, name), 'utf8'))).toEqual(JSON.parse(JSON.stringify(content)));
});
