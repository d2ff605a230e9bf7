import { generatorTemplateOver, isEmpty } from '../../../core/application-sets/set-generator';
import { isPlainObject } from '../../../core/validation/problems';
import type { Problems } from '../../../core/validation/problems';
import { applicationSpecManifest } from '../application';
import type { ApplicationTemplate, GeneratorTemplate } from '../application-template';
import type { Generator } from './generators';

/** The template of a generator's Applications: its own, laid over the set's. */
export function templateOf(generator: Generator, template: ApplicationTemplate): ApplicationTemplate {
  return generatorTemplateOver(generator.template, template) as ApplicationTemplate;
}

/**
 * Refuses what a generator's template can't do: switch something off, or be in a generator of another one.
 *
 * @param isNested whether the generator is in a matrix or merge
 */
export function checkGeneratorTemplate(
  problems: Problems,
  path: string,
  own: GeneratorTemplate,
  under: unknown,
  isNested: boolean,
): void {
  if (isNested) {
    // https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Merge/#restrictions
    problems.add(path, own, 'left out: Argo CD takes no template of a generator in a matrix or merge');
    return;
  }
  checkEmpty(problems, path, own, under);
}

function checkEmpty(problems: Problems, path: string, own: unknown, under: unknown): void {
  if (own !== undefined && isEmpty(own) && !isEmpty(under) && under !== undefined) {
    problems.add(
      path,
      own,
      "something that is not empty, or the set's template be without it: Argo CD takes what the set's template has instead",
    );
  } else if (isPlainObject(own) && isPlainObject(under)) {
    for (const key of Object.keys(own)) {
      checkEmpty(problems, `${path}.${key}`, own[key], under[key]);
    }
  }
}

/**
 * A generator's template as it is in the manifest. The resource definition asks for some fields of it, which may be
 * empty.
 *
 * @see https://github.com/argoproj/argo-cd/blob/37ee0097cf851bc2dd7665fc081bbce61a7e836e/manifests/crds/applicationset-crd.yaml
 */
export function generatorTemplateManifest(
  generator: Generator,
  template: ApplicationTemplate,
): Record<string, unknown> | undefined {
  const own = generator.template;
  if (own === undefined) {
    return undefined;
  }
  const [before, after] = [template.spec, templateOf(generator, template).spec].map(
    (spec) => applicationSpecManifest(spec) as { syncPolicy?: { syncOptions?: readonly string[] } },
  );
  const options = after!.syncPolicy?.syncOptions;
  // A list takes the place of the other one: what its settings need must be in it.
  const isOther = JSON.stringify(options) !== JSON.stringify(before!.syncPolicy?.syncOptions);
  const syncPolicy =
    own.spec?.syncPolicy || isOther
      ? { ...own.spec?.syncPolicy, ...(isOther ? { syncOptions: options } : {}) }
      : undefined;
  const { source, ...spec } = own.spec ?? {};
  return {
    metadata: own.metadata ?? {},
    spec: {
      ...spec,
      project: spec.project ?? '',
      ...(source ? { source: { repoURL: '', ...source } } : {}),
      ...{ destination: spec.destination ?? {}, syncPolicy },
    },
  };
}
