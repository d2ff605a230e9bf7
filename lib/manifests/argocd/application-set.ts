import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { across, list, object, optional } from '../../core/validation/collections';
import { dnsSubdomain, labelKey, oneOfWords, nonEmptyText, trueOrFalse } from '../../core/validation/formats';
import { Problems, isPlainObject } from '../../core/validation/problems';
import type { Entries } from '../../core/validation/schema';
import { anything, flag } from '../../core/validation/values';
import { propsProblems, constructSubject, withKeys } from '../field-schemas';
import { applicationSpecManifest } from './application';
import { applicationTemplateSchema, templated } from './application-template';
import type { ApplicationTemplate } from './application-template';
import { argoObject, argoObjectEntries, jsonPointer } from './argo-object';
import type { ArgoObjectProps } from './argo-object';
import { checkGenerator, generatorManifest } from './generators/generator-manifest';
import { areGenerators } from './generators/generators';
import type { Generator } from './generators/generators';
import { specForStrategy, strategyManifest, strategySchema } from './rolling-sync';
import type { ApplicationSetStrategy } from './rolling-sync';
import { checkTemplates } from './template-check';

/**
 * What the controller may do to the Applications that it made.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Controlling-Resource-Modification/
 */
export interface ApplicationSetSyncPolicy {
  /** Whether what was deployed stays when an Application is deleted. @default false */
  readonly preserveResourcesOnDeletion?: boolean;
  /** Whether Applications are updated and deleted when the generators' results change. @default 'sync' */
  readonly applicationsSync?: 'create-only' | 'create-update' | 'create-delete' | 'sync';
}

/** Fields of Applications that differ from the template and may. */
export interface IgnoredApplicationDifference {
  /** Name of the Application. @default - all of the set's */
  readonly name?: string;
  /** Fields by JSON pointer. @default - by `jqPathExpressions` */
  readonly jsonPointers?: readonly string[];
  /** Fields by jq expression. @default - by `jsonPointers` */
  readonly jqPathExpressions?: readonly string[];
}

/** What an ApplicationSet is made of. */
export interface ApplicationSetProps extends ArgoObjectProps {
  /** What Applications are made from; `generators` makes them. */
  readonly generators: readonly Generator[];
  /** What every Application looks like. */
  readonly template: ApplicationTemplate;
  /** A template that gives a patch for each Application, in JSON or YAML. Needs Go templates. @default - none */
  readonly templatePatch?: string;
  /** Whether templates are Go templates (`{{.name}}`) or plain substitution (`{{name}}`). @default true */
  readonly goTemplate?: boolean;
  /**
   * Options of Go templates.
   * @default ['missingkey=error'] - a parameter that is not there is an error, not the text "<no value>"
   */
  readonly goTemplateOptions?: readonly string[];
  /** What the controller may do to the Applications that it made. @default - everything */
  readonly syncPolicy?: ApplicationSetSyncPolicy;
  /**
   * Labels and annotations of the Applications that the controller leaves alone although the template has them not.
   * @default - the controller's own: those of notifications, refreshes and hydration
   */
  readonly preservedFields?: {
    /** Names of labels. */
    readonly labels?: readonly string[];
    /** Names of annotations. */
    readonly annotations?: readonly string[];
  };
  /**
   * Fields of the Applications that the controller leaves as it finds them, say what a user switches off for an hour.
   * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Controlling-Resource-Modification/#ignore-certain-changes-to-applications
   * @default - none
   */
  readonly ignoreApplicationDifferences?: readonly IgnoredApplicationDifference[];
  /** In which order changes reach the Applications. @default - all at once */
  readonly strategy?: ApplicationSetStrategy;
}

const syncPolicy = object<ApplicationSetSyncPolicy>({
  preserveResourcesOnDeletion: optional(templated(trueOrFalse)),
  applicationsSync: optional(templated(oneOfWords('create-only', 'create-update', 'create-delete', 'sync'))),
});

const ignoredDifference = withKeys(
  'at least one',
  ['jsonPointers', 'jqPathExpressions'],
  object<IgnoredApplicationDifference>({
    name: optional(templated(dnsSubdomain)),
    jsonPointers: optional(list(templated(jsonPointer))),
    jqPathExpressions: optional(list(templated(nonEmptyText))),
  }),
);

/** https://pkg.go.dev/text/template#Template.Option */
const goTemplateOption = oneOfWords(
  'missingkey=error',
  'missingkey=zero',
  'missingkey=default',
  'missingkey=invalid',
);

/** Entries for `ApplicationSetProps`, each by itself. */
export const applicationSetEntries: Entries<ApplicationSetProps> = {
  ...argoObjectEntries,
  generators: list(anything, 1, 'a list with at least one generator'),
  template: applicationTemplateSchema,
  templatePatch: optional(templated(nonEmptyText)),
  goTemplate: optional(flag),
  goTemplateOptions: optional(list(templated(goTemplateOption))),
  syncPolicy: optional(syncPolicy),
  preservedFields: optional(
    object({
      labels: optional(list(templated(labelKey))),
      annotations: optional(list(templated(labelKey))),
    }),
  ),
  ignoreApplicationDifferences: optional(list(ignoredDifference)),
  strategy: optional(strategySchema),
};

const applicationSetSchema = across(
  object<ApplicationSetProps>(applicationSetEntries),
  ({ goTemplate, templatePatch, goTemplateOptions, syncPolicy: policy, template }, { mustBe, conflicts }) => {
    if (goTemplate === false && templatePatch !== undefined) {
      conflicts(['templatePatch'], 'goTemplate: false');
    }
    if (goTemplate === false && goTemplateOptions !== undefined) {
      conflicts(['goTemplateOptions'], 'goTemplate: false');
    }
    const metadata = isPlainObject(template) ? template.metadata : undefined;
    const finalizers = isPlainObject(metadata) ? metadata.finalizers : undefined;
    if (!isPlainObject(policy) || !policy.preserveResourcesOnDeletion || !Array.isArray(finalizers)) {
      return;
    }
    for (const [position, finalizer] of finalizers.entries()) {
      if (String(finalizer).startsWith('resources-finalizer.argocd.argoproj.io')) {
        mustBe(
          ['template', 'metadata', 'finalizers', position],
          'left out: "syncPolicy.preserveResourcesOnDeletion" keeps what this finalizer deletes',
        );
      }
    }
  },
);

/**
 * An Argo CD ApplicationSet: makes Applications from a template and what its generators find.
 *
 * @example
 * // podinfo on every registered cluster with the label `env: production`:
 * new argocd.ApplicationSet(chart, 'podinfo', {
 *   name: 'podinfo',
 *   generators: [generators.clusters({ selector: { matchLabels: { env: 'production' } } })],
 *   template: {
 *     metadata: { name: '{{.nameNormalized}}-podinfo' },
 *     spec: {
 *       project: 'apps',
 *       source: { repoURL: 'https://github.com/stefanprodan/podinfo', path: 'kustomize', targetRevision: '6.14.1' },
 *       destination: { name: '{{.name}}', namespace: 'podinfo' },
 *       syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
 *     },
 *   },
 * });
 */
export class ApplicationSet extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput where a field is missing or wrong, or settings contradict each other */
  public constructor(scope: Construct, id: string, props: ApplicationSetProps) {
    const problems = new Problems(constructSubject('ApplicationSet', id, props));
    problems.addAll(propsProblems(applicationSetSchema, props));
    if (isPlainObject(props) && Array.isArray(props.generators)) {
      checkGenerators(problems, props);
    }
    problems.throwIfAny();
    super(scope, id);
    const { goTemplate = true, template, strategy } = props;
    this.apiObject = argoObject(this, 'ApplicationSet', props, {
      goTemplate,
      goTemplateOptions: goTemplate ? (props.goTemplateOptions ?? ['missingkey=error']) : undefined,
      generators: props.generators.map((each) => generatorManifest(each, template)),
      template: {
        metadata: template.metadata,
        spec: applicationSpecManifest(specForStrategy(template.spec, strategy)),
      },
      templatePatch: props.templatePatch,
      syncPolicy: props.syncPolicy,
      preservedFields: props.preservedFields,
      ignoreApplicationDifferences: props.ignoreApplicationDifferences,
      strategy: strategy && strategyManifest(strategy),
    });
  }
}

/** What generators and the template say, together with the rest. */
function checkGenerators(problems: Problems, props: ApplicationSetProps): void {
  const { generators, template } = props;
  generators.forEach((generator, position) =>
    checkGenerator(problems, `generators[${position}]`, generator, props),
  );
  if (isPlainObject(template) && areGenerators(generators)) {
    checkTemplates(problems, props);
  }
}
