import type { SetGenerator, Steps } from '../../core/application-sets/set-generator';
import type { TemplatedSet } from '../../core/application-sets/template-texts';
import { Field, parseJsonPointer } from '../object';
import type { ManifestObject } from '../object';
import type { ObjectIndex } from '../object-index';

/** An Argo CD ApplicationSet, with what its templates read. */
export interface ApplicationSetView {
  readonly object: ManifestObject;
  readonly set: TemplatedSet;
}

/** View of Argo CD's ApplicationSets: `objects.view(applicationSets)`. */
export function applicationSets(objects: ObjectIndex): readonly ApplicationSetView[] {
  return objects.ofKind('argoproj.io', 'ApplicationSet').map((object) => {
    const spec = Field.of(object).get('spec');
    return {
      object,
      set: {
        generators: spec.get('generators').items.flatMap((each) => generatorOf(each, deepest)),
        template: part(spec.get('template')),
        templatePatch: part(spec.get('templatePatch')),
        goTemplate: spec.get('goTemplate').boolean === true,
        goTemplateOptions: spec.get('goTemplateOptions').texts,
      },
    };
  });
}

/** Argo CD takes two combining generators around another one; what is deeper is refused before it is read. */
const deepest = 4;

function part(field: Field): { readonly steps: Steps; readonly value: unknown } {
  return { steps: parseJsonPointer(field.pointer), value: field.value };
}

/** One for each kind that an entry has: one, in those that Argo CD takes. */
function generatorOf(entry: Field, depth: number): readonly SetGenerator[] {
  const isFiltered = entry.get('selector').exists;
  return entry.entries
    .filter(([kind, field]) => kind !== 'selector' && field.exists)
    .map(([kind, field]) => {
      const { template, generators: _children, ...settings } = field.record;
      const children = depth > 0 ? field.get('generators').items : [];
      return {
        kind,
        steps: parseJsonPointer(field.pointer),
        settings,
        ...(template === undefined || template === null ? {} : { template }),
        isFiltered,
        generators: children.flatMap((each) => generatorOf(each, depth - 1)),
      };
    });
}
