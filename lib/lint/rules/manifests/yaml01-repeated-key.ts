import type { Rule } from '../../rule';

export const yaml01: Rule = {
  id: 'YAML01',
  severity: 'warning',
  title: 'Duplicate key',
  why: 'readers differ: some take the last one, as is done here, and others refuse the whole manifest',
  fix: 'keep one of them',
  scope: 'files',
  *check({ objects }) {
    for (const object of objects.all) {
      for (const { key, line } of object.source?.repeatedKeys ?? []) {
        yield { object, pointer: '', line, message: `the key ${key} is written here again` };
      }
    }
  },
};
