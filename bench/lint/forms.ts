import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { manifests } from './corpus';

/** How many objects come in one file: rendered by a chart, or dumped from a cluster. */
export const forms = ['documents', 'a List in YAML', 'a List in JSON'] as const;
export type Form = (typeof forms)[number];

/** Writes the objects of the corpus into one file. */
export function writeInOneFile(folder: string, objects: number, form: Form): void {
  mkdirSync(folder, { recursive: true });
  const texts = manifests(objects);
  switch (form) {
    case 'documents':
      writeFileSync(join(folder, 'all.yaml'), texts.join('---\n'));
      return;
    case 'a List in YAML':
      writeFileSync(
        join(folder, 'all.yaml'),
        `apiVersion: v1\nkind: List\nitems:\n${texts.map(item).join('')}`,
      );
      return;
    case 'a List in JSON': {
      const list = { apiVersion: 'v1', kind: 'List', items: texts.map((text) => load(text)) };
      writeFileSync(join(folder, 'all.json'), JSON.stringify(list, null, 4));
    }
  }
}

function item(text: string): string {
  return `- ${text.replace(/\n(?=.)/g, '\n  ')}`;
}
