import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaFiles, schemaFolder } from './schema-files';

test.each(Object.entries(schemaFiles()))('schemas/%s is what write-schemas.ts writes', (name, content) => {
  expect(JSON.parse(readFileSync(join(schemaFolder, name), 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(content)),
  );
});
