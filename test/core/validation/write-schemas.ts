import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaFiles, schemaFolder } from './schema-files';

/** Writes schemas/*.json anew: `npx ts-node -T test/core/validation/write-schemas.ts`, then `npx oxfmt schemas`. */
for (const [name, content] of Object.entries(schemaFiles())) {
  writeFileSync(join(schemaFolder, name), `${JSON.stringify(content, null, 2)}\n`);
}
